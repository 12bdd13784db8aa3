#include "skein/bench/training.h"

#include <fmt/format.h>

#include <numeric>
#include <span>

#include "skein/base/error.h"
#include "skein/base/progress.h"
#include "skein/bench/measure.h"
#include "skein/bench/product_rates.h"
#include "skein/tensor/arena.h"
#include "skein/train/update.h"

namespace skein {
namespace {

void require_updates(const TrainingBenchmark& benchmark) {
  if (benchmark.updates >= 1 && benchmark.warmup >= 0) return;
  throw UsageError(
      fmt::format("{} measured updates after {} others; expected at least 1 after at least 0",
                  benchmark.updates, benchmark.warmup));
}

}  // namespace

TrainingSpeed measure_training(TrainOptions& options, const TrainingBenchmark& benchmark,
                               const std::vector<Batch>& batches) {
  require_updates(benchmark);
  const DType type = activation_type(options.loop.precision);
  const bool translates = options.model->has_source();
  const auto model = options.model->build({.source = translates ? benchmark.vocabulary : 0,
                                           .target = benchmark.vocabulary,
                                           .shared = translates});
  model->parameters().allocate({.half = type == DType::kBF16, .gradients = true});
  model->parameters().initialize(static_cast<uint64_t>(options.loop.seed));
  const auto criterion = make_criterion(options.criterion);
  const auto optimizer = make_optimizer(options.optimizer, flat_parameters(model->parameters()));
  Updater updater(*model, *criterion, *optimizer,
                  {.activations = type, .clip_norm = options.loop.clip_norm, .seed = 1});
  ProductRates products(type, seconds_now);
  std::vector<double> seconds;
  std::vector<double> source_rates;
  std::vector<double> target_rates;
  double flops = 0;
  for (int64_t update = 1; update <= benchmark.warmup + benchmark.updates; ++update) {
    const Batch& batch = batches[static_cast<size_t>(update) % batches.size()];
    const double begin = seconds_now();
    updater.run(std::span(&batch, 1), update, 1e-4);
    const double taken = seconds_now() - begin;
    if (update <= benchmark.warmup) continue;
    products.measure();
    seconds.push_back(taken);
    source_rates.push_back(static_cast<double>(batch.source.tokens.size()) / taken);
    target_rates.push_back(static_cast<double>(batch.target.tokens.size()) / taken);
    flops += model->training_flops(batch);
  }
  TrainingSpeed speed;
  speed.seconds_per_update = median(seconds);
  speed.source_tokens_per_second = median(source_rates);
  speed.target_tokens_per_second = median(target_rates);
  speed.flops_per_second = flops / std::accumulate(seconds.begin(), seconds.end(), 0.0);
  speed.peak_tensor_bytes = static_cast<int64_t>(arena_statistics().peak);
  speed.peak_resident_bytes = peak_resident_bytes();
  speed.product_flops_per_second = products.best().flops_per_second();
  return speed;
}

}  // namespace skein
