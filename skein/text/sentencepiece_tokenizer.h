// SentencePiece (Kudo and Richardson 2018): unigram and BPE models, learned here or elsewhere.
// The file is SentencePiece's own, so that its tools can read it too. Ids are ours: the special
// tokens are moved to 0 to 3 and the other pieces follow in the order of the file; models learned
// here have that order.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "skein/text/learn_options.h"
#include "skein/text/sentencepiece_model.h"
#include "skein/text/split_sampler.h"
#include "skein/text/text_summary.h"
#include "skein/text/tokenizer.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace skein {

class SentencePieceTokenizer final : public Tokenizer {
 public:
  // Throws FormatError if `content` is no SentencePiece model.
  static std::unique_ptr<Tokenizer> load(std::string_view content, const std::string& origin);
  // `type`: "unigram" or "bpe". learn() throws UsageError if options.size does not fit the text,
  // and repeats exactly for the same text, options and number of threads.
  static std::unique_ptr<TextSummary> summarize(const std::string& type,
                                                const LearnOptions& options);

  SentencePieceTokenizer(std::string content, const std::string& origin);
  ~SentencePieceTokenizer() override;

  std::string type() const override { return model_.type; }
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  Normalization normalization() const override { return model_.normalization; }
  std::string decode(std::span<const int32_t> ids) const override;
  std::vector<int32_t> word_numbers(std::span<const std::string> pieces) const override;
  std::vector<int32_t> resample(std::span<const int32_t> ids, double alpha,
                                Random& random) const override;
  bool resamples() const override { return true; }
  std::string serialize() const override { return content_; }

 protected:
  std::vector<std::string> split(std::string_view text) const override;
  void encode_normalized(std::string_view text, std::vector<int32_t>& ids) const override;

 private:
  void number_pieces(const std::string& origin);

  std::string content_;
  SentencePieceModel model_;
  Vocabulary vocabulary_;
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
  std::vector<int32_t> ours_;    // by the model's id
  std::vector<int32_t> theirs_;  // by our id; -1 for special tokens that the model lacks
  std::unique_ptr<SplitSampler> sampler_;
};

}  // namespace skein
