#include "skein/decode/tempered_scorer.h"

#include <utility>

#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/decode/search_options.h"

namespace skein {

TemperedScorer::TemperedScorer(std::unique_ptr<StepScorer> model, double temperature)
    : model_(std::move(model)), scale_(static_cast<float>(1 / temperature)) {
  require_temperature(temperature);
  if (model_->kind() == ScoreKind::kLogits) return;
  throw UsageError("scores of models together have no temperature; temper each model by itself");
}

Tensor TemperedScorer::step(std::span<const int32_t> previous) {
  Tensor logits = model_->step(previous);
  const std::span<float> values = logits.values<float>();
  constexpr int64_t kGrain = 1 << 16;  // logits of a thread
  parallel_for(std::ssize(values), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) values[static_cast<size_t>(i)] *= scale_;
  });
  return logits;
}

std::unique_ptr<StepScorer> tempered(std::unique_ptr<StepScorer> model, double temperature) {
  if (temperature == 1) return model;
  return std::make_unique<TemperedScorer>(std::move(model), temperature);
}

}  // namespace skein
