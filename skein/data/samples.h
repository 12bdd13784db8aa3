// What batches are made of: the pairs or sentences of a data set, or, for language models, blocks
// of its text, in which sentences follow each other with an end mark behind each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "skein/data/batch.h"
#include "skein/data/data_set.h"

namespace skein {

enum class BreakMode {
  kSentence,  // every sentence by itself
  kComplete,  // as many whole sentences as fit into a block; a longer one is a block of its own
  kNone,      // blocks of equal length, wherever sentences end
};

struct BlockOptions {
  BreakMode mode = BreakMode::kSentence;
  int64_t tokens = 512;  // of a block, end marks included
};

class Samples {
 public:
  // `data` must outlive this object. Throws UsageError if pairs are to be cut into blocks, or for a
  // block without tokens.
  explicit Samples(const DataSet& data, const BlockOptions& options = {});

  const std::string& name() const { return data_->name(); }
  bool monolingual() const { return data_->monolingual(); }
  bool sentences() const { return options_.mode == BreakMode::kSentence; }
  int64_t size() const;
  // In tokens with end marks; of a source that is not there 0 and its end mark.
  int64_t source_length(int64_t sample) const;
  int64_t target_length(int64_t sample) const;

  // Adds the sample to the batch, and its number to the batch's. Position t of the target is
  // predicted from the input up to t: what comes before the sample's first token, the end mark
  // `eos` at the text's start and where sentences are apart, is the first input.
  void append(int64_t sample, int32_t eos, Batch& batch) const;

 private:
  // Begins at the token of a sentence, or at its end mark.
  struct Block {
    int64_t sentence = 0;
    int64_t token = 0;
    int64_t length = 0;
  };

  void cut_by_sentences();
  void cut_everywhere();
  void append_text(const Block& block, int32_t eos, Batch& batch) const;

  const DataSet* data_;
  BlockOptions options_;
  std::vector<Block> blocks_;  // none where sentences are apart
};

}  // namespace skein
