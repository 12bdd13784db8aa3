// Measures training speed on batches of a prepared data set, or of random sentences of given
// lengths.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "skein/data/batch.h"
#include "skein/train/options.h"

namespace skein {

struct BenchmarkOptions {
  int64_t vocabulary = 10000;
  int64_t batches = 8;   // different ones, used in turn
  int64_t warmup = 8;    // updates that are not measured
  int64_t updates = 16;  // that are
};

// Random sentences whose lengths follow Multi30k's (en-de, 10k joint BPE): log-normal, means 14.0
// and 14.4, deviations of the logarithm 0.313 and 0.348, correlation 0.856. As in training,
// sentences of similar length share a batch; the batches are spread over all lengths.
std::vector<Batch> random_batches(const BenchmarkOptions& options, int64_t max_tokens,
                                  uint64_t seed);

// Writes batches as JSON lines {"source": [[ids]...], "target": [[ids]...]} without end symbols,
// for benchmarks of other systems.
void write_batches(const std::vector<Batch>& batches, const std::filesystem::path& path);

struct TrainingSpeed {
  double seconds_per_update = 0;        // median
  double source_tokens_per_second = 0;  // of the median update; real tokens, end symbols included
  double target_tokens_per_second = 0;
  double flops_per_second = 0;  // Model::training_flops over the time of all measured updates
  // oneDNN's products in the same type at the best of the shapes that training uses, run after
  // every measured update, over the time of all.
  double product_flops_per_second = 0;
  int64_t peak_tensor_bytes = 0;
  int64_t peak_resident_bytes = 0;
};
TrainingSpeed measure_training(TrainOptions& options, const BenchmarkOptions& benchmark,
                               const std::vector<Batch>& batches);

}  // namespace skein
