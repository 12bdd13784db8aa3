// A model that is a table: the distribution of the next token depends on the sentence, the step
// and the previous token.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "skein/base/random.h"
#include "skein/decode/scorer.h"

namespace skein {

struct Table {
  int64_t steps = 0;          // later steps use the last one
  int64_t vocabulary = 0;     // v
  std::vector<float> values;  // [sentences, steps, v, v]: log-probabilities

  std::span<const float> row(int64_t sentence, int64_t step, int32_t previous) const {
    const int64_t index = (sentence * steps + std::min(step, steps - 1)) * vocabulary + previous;
    return std::span(values).subspan(static_cast<size_t>(index * vocabulary),
                                     static_cast<size_t>(vocabulary));
  }

  static Table random(int64_t sentences, int64_t steps, int64_t vocabulary, uint64_t seed) {
    Table table{.steps = steps, .vocabulary = vocabulary, .values = {}};
    Random source(seed);
    for (int64_t row = 0; row < sentences * steps * vocabulary; ++row) {
      std::vector<double> weights;
      double sum = 0;
      for (int64_t i = 0; i < vocabulary; ++i) {
        weights.push_back(std::exp(2 * source.normal()));
        sum += weights.back();
      }
      for (const double weight : weights) {
        table.values.push_back(static_cast<float>(std::log(weight / sum)));
      }
    }
    return table;
  }
};

// The first token of a source sentence names the sentence of the table.
class TableScorer final : public StepScorer {
 public:
  explicit TableScorer(Table table, int64_t max_length = 1000)
      : table_(std::move(table)), max_length_(max_length) {}

  int64_t vocabulary() const override { return table_.vocabulary; }
  int64_t max_source_length() const override { return max_length_; }
  int64_t max_target_length() const override { return max_length_; }

  void start(const PackedSequences& source) override {
    rows_.clear();
    rows_computed_ = 0;
    for (size_t i = 0; i < source.sentences(); ++i) rows_.push_back({source.sentence(i)[0], 0});
  }

  Tensor step(std::span<const int32_t> previous) override {
    std::vector<float> logits;
    for (size_t i = 0; i < rows_.size(); ++i) {
      const auto row = table_.row(rows_[i].sentence, rows_[i].step++, previous[i]);
      logits.insert(logits.end(), row.begin(), row.end());
    }
    rows_computed_ += static_cast<int64_t>(rows_.size());
    return Tensor::from(logits, {static_cast<int64_t>(rows_.size()), table_.vocabulary});
  }

  void select(std::span<const int32_t> rows) override {
    std::vector<Row> selected;
    for (const int32_t row : rows) selected.push_back(rows_[static_cast<size_t>(row)]);
    rows_ = std::move(selected);
  }

  // Since the last start().
  int64_t rows_computed() const { return rows_computed_; }

 private:
  struct Row {
    int32_t sentence = 0;
    int64_t step = 0;
  };

  Table table_;
  int64_t max_length_;
  std::vector<Row> rows_;
  int64_t rows_computed_ = 0;
};

// Source sentences that name the given sentences of a table: two tokens each, eos included.
inline PackedSequences table_sources(std::span<const int32_t> sentences) {
  PackedSequences sources;
  for (const int32_t sentence : sentences) sources.append(std::vector<int32_t>{sentence, 2});
  return sources;
}

}  // namespace skein
