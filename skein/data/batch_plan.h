// Which samples form which batch of an epoch: a function of the data's lengths, the options and the
// epoch's number only, so every process computes the same plan and a stopped run finds its place
// again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "skein/data/samples.h"

namespace skein {

enum class BatchOrder {
  kShuffled,       // batches of sentences of similar length, in random order
  kShortestFirst,  // by length, ties as in the file
  kFile,           // as in the file
};

struct BatchOptions {
  // Bounds the sum of source and the sum of target tokens of a batch, each sentence counted with
  // its eos.
  int64_t max_tokens = 4096;
  int64_t max_sentences = 0;  // 0: no bound
  BatchOrder order = BatchOrder::kShuffled;
  BatchOrder first_epoch_order = BatchOrder::kShuffled;
  // kShuffled sorts by length within random pools of this many samples: the larger, the more alike
  // are the lengths of a batch; the smaller, the more random is which sentences meet.
  int64_t pool_samples = int64_t{1} << 18;
  uint64_t seed = 1;
  int32_t eos = 2;
  BlockOptions blocks = {};
  // How often an epoch sees the samples of each data set, as mixture_rates() gives it; none: once.
  std::vector<double> rates = {};
};

class BatchPlan {
 public:
  // Throws UsageError for options out of range, for data without samples, and, with their number
  // and the remedy, if samples are longer than max_tokens. `epoch` counts from 0.
  BatchPlan(const Samples& data, const BatchOptions& options, int64_t epoch);

  int64_t batches() const { return static_cast<int64_t>(sequence_.size()); }
  std::span<const uint32_t> samples(int64_t batch) const;

 private:
  void cut_into_batches(const Samples& data, const BatchOptions& options);

  std::vector<uint32_t> samples_;   // every sample as often as this epoch sees it
  std::vector<uint32_t> begins_;    // [batches + 1] into samples_
  std::vector<uint32_t> sequence_;  // [batches], the order in which they are trained
};

}  // namespace skein
