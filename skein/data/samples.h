// What batches are made of: the pairs or sentences of a data set or several, or, for language
// models, blocks of their text, in which sentences follow each other with an end mark behind each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "skein/base/random.h"
#include "skein/data/batch.h"
#include "skein/data/data_set.h"
#include "skein/data/resampler.h"

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
  explicit Samples(const DataSet& data, const BlockOptions& options = {})
      : Samples(std::span(&data, 1), options) {}
  // Those of several data sets, one after another; no block goes over the end of one. At least one;
  // all of pairs, or all of one language.
  explicit Samples(std::span<const DataSet> data, const BlockOptions& options = {});

  size_t data_sets() const { return parts_.size(); }
  // Data set i has the samples begins()[i] to begins()[i + 1].
  std::span<const int64_t> begins() const { return begins_; }  // [data sets + 1]
  const std::string& name(size_t data_set) const { return parts_[data_set].data->name(); }
  bool monolingual() const { return parts_[0].data->monolingual(); }
  bool sentences() const { return options_.mode == BreakMode::kSentence; }
  int64_t size() const { return begins_.back(); }
  // In tokens with end marks; of a source that is not there 0 and its end mark.
  int64_t source_length(int64_t sample) const;
  int64_t target_length(int64_t sample) const;

  // Adds the sample to the batch, and its number to the batch's. Position t of the target is
  // predicted from the input up to t: what comes before the sample's first token, the end mark
  // `eos` at the text's start and where sentences are apart, is the first input.
  void append(int64_t sample, int32_t eos, Batch& batch) const;
  // The same with other splits of its words. Requires sentences().
  void append_resampled(int64_t sample, int32_t eos, const Resampler& resampler, Random& random,
                        Batch& batch) const;

 private:
  // Begins at the token of a sentence, or at its end mark.
  struct Block {
    int64_t sentence = 0;
    int64_t token = 0;
    int64_t length = 0;
  };

  struct Part {
    const DataSet* data = nullptr;
    std::vector<Block> blocks;  // none where sentences are apart
  };
  // A sample by its number in its data set.
  struct Place {
    const Part& part;
    int64_t sample;
  };

  void cut_by_sentences(Part& part) const;
  void cut_everywhere(Part& part) const;
  Place place(int64_t sample) const;
  void append_block(const Place& at, int32_t eos, Batch& batch) const;

  BlockOptions options_;
  std::vector<Part> parts_;
  std::vector<int64_t> begins_ = {0};
};

}  // namespace skein
