// Speed of training.
#pragma once

#include <cstdint>
#include <vector>

#include "skein/data/batch.h"
#include "skein/train/options.h"

namespace skein {

struct TrainingBenchmark {
  int64_t vocabulary = 10000;
  int64_t warmup = 8;    // updates that are not measured
  int64_t updates = 16;  // that are
};

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

// Trains a model with random parameters on the batches in turn. Throws UsageError for less than one
// update.
TrainingSpeed measure_training(TrainOptions& options, const TrainingBenchmark& benchmark,
                               const std::vector<Batch>& batches);

}  // namespace skein
