// A model that copies its source: each token has probability 0.9, else it is the first word of the
// vocabulary, hardly ever another.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "skein/decode/scorer.h"
#include "skein/text/tokenizers.h"
#include "skein/text/vocabulary.h"

namespace skein {

class CopyScorer final : public StepScorer {
 public:
  CopyScorer(int64_t vocabulary, int64_t max_length)
      : CopyScorer(vocabulary, max_length, max_length) {}
  CopyScorer(int64_t vocabulary, int64_t max_source_length, int64_t max_target_length)
      : vocabulary_(vocabulary),
        max_source_length_(max_source_length),
        max_target_length_(max_target_length) {}

  int64_t vocabulary() const override { return vocabulary_; }
  int64_t max_source_length() const override { return max_source_length_; }
  int64_t max_target_length() const override { return max_target_length_; }

  void start(const PackedSequences& source) override {
    source_ = source;
    rows_.clear();
    for (size_t i = 0; i < source.sentences(); ++i) rows_.push_back({i, 0});
  }

  Tensor step(std::span<const int32_t> previous) override {
    Tensor logits =
        Tensor::uninitialized({static_cast<int64_t>(previous.size()), vocabulary_}, DType::kF32);
    std::fill_n(logits.data<float>(), logits.elements(), -20.0F);
    for (size_t i = 0; i < rows_.size(); ++i) {
      float* row = logits.data<float>() + static_cast<int64_t>(i) * vocabulary_;
      const auto sentence = source_.sentence(rows_[i].first);
      const size_t position = std::min(rows_[i].second++, sentence.size() - 1);
      row[kSpecialTokens] = std::log(0.1F);
      row[sentence[position]] = std::log(0.9F);
    }
    return logits;
  }

  void select(std::span<const int32_t> rows) override {
    std::vector<std::pair<size_t, size_t>> selected;
    for (const int32_t row : rows) selected.push_back(rows_[static_cast<size_t>(row)]);
    rows_ = std::move(selected);
  }

 private:
  int64_t vocabulary_;
  int64_t max_source_length_;
  int64_t max_target_length_;
  PackedSequences source_;
  std::vector<std::pair<size_t, size_t>> rows_;  // sentence, position
};

// One token a character of "a" to "z", space and full stop.
inline std::unique_ptr<Tokenizer> letters() {
  bool given = false;
  return learn_tokenizer("char", {.size = 1000}, [&](std::string& line) {
    line = "abcdefghijklmnopqrstuvwxyz .";
    return !std::exchange(given, true);
  });
}

}  // namespace skein
