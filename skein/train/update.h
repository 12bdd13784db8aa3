// One update of a model's parameters: forward, backward, clipping, optimiser.
#pragma once

#include <cstdint>
#include <span>

#include "skein/data/batch.h"
#include "skein/models/model.h"
#include "skein/optim/norm.h"
#include "skein/optim/optimizer.h"
#include "skein/parallel/gradient_exchange.h"
#include "skein/train/criterion.h"

namespace skein {

struct UpdateOptions {
  DType activations = DType::kF32;  // f32 or bf16
  double clip_norm = 0;             // 0: no clipping
  uint64_t seed = 1;                // of dropout
  // With the other ranks of a training, all of which outlive the updater; null: it is alone.
  GradientExchange* exchange = nullptr;
};

struct UpdateResult {
  LossSums sums;             // of all ranks
  double gradient_norm = 0;  // of the loss a token, before clipping
};

class Updater {
 public:
  // `model` has gradients allocated; all three outlive the updater.
  Updater(Model& model, const Criterion& criterion, Optimizer& optimizer,
          const UpdateOptions& options);

  // The gradients of all batches together, of all ranks, divided by their target tokens, make
  // update number `update` (from 1) with the rate `lr`. Batches without sentences count as nothing.
  // Throws NonFiniteError, naming the tensor and the update, if loss or gradient is not finite, and
  // CommunicationError.
  UpdateResult run(std::span<const Batch> batches, int64_t update, double lr);

 private:
  Clipping clip(double scale, int64_t update);
  LossSums add_gradients(std::span<const Batch> batches, int64_t update);
  void add_gradients(const Batch& batch, uint64_t seed, int64_t update, LossSums& sums, bool last);
  [[noreturn]] void explain_loss(const Batch& batch, uint64_t seed, int64_t update);

  Model& model_;
  const Criterion& criterion_;
  Optimizer& optimizer_;
  UpdateOptions options_;
};

// Where the optimiser finds the parameters.
FlatParameters flat_parameters(ParameterStore& store);

}  // namespace skein
