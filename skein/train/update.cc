#include "skein/train/update.h"

#include <fmt/format.h>

#include <cmath>

#include "skein/base/error.h"
#include "skein/base/random.h"

namespace skein {
namespace {

// Going on from a checkpoint would lead to the same numbers again, and refuses other settings.
std::string remedy(double clip_norm) {
  return fmt::format(
      "train anew, with another --output, with a smaller optimizer.lr, a longer "
      "schedule.warmup_updates{}",
      clip_norm > 0 ? fmt::format(" or a train.clip_norm below {}", clip_norm)
                    : " or a train.clip_norm, such as 1");
}

void require_finite_parameters(const ParameterStore& store, int64_t update, double clip_norm) {
  for (const Parameter& each : store.parameters()) {
    if (kernels::all_finite(each.variable.value())) continue;
    throw NonFiniteError(fmt::format("parameter {} is not finite before update {}; {}", each.name,
                                     update, remedy(clip_norm)));
  }
}

}  // namespace

FlatParameters flat_parameters(ParameterStore& store) {
  FlatParameters flat{
      .parts = {}, .values = store.values(), .gradients = store.gradients(), .half = store.half()};
  for (const Parameter& each : store.parameters()) {
    flat.parts.push_back({each.name, each.offset, each.shape});
  }
  return flat;
}

Updater::Updater(Model& model, const Criterion& criterion, Optimizer& optimizer,
                 const UpdateOptions& options)
    : model_(model), criterion_(criterion), optimizer_(optimizer), options_(options) {}

UpdateResult Updater::run(std::span<const Batch> batches, int64_t update, double lr) {
  ParameterStore& store = model_.parameters();
  store.clear_gradients();
  UpdateResult result;
  // A stream of its own for every update, so that resuming needs no position.
  Random seeds(options_.seed, static_cast<uint64_t>(update));
  for (const Batch& batch : batches) {
    const uint64_t seed = seeds.next_u64();
    if (batch.target.tokens.empty()) continue;
    const LossSums sums = add_gradients(batch, seed);
    if (!std::isfinite(sums.smoothed)) explain_loss(batch, seed, update);
    result.sums.smoothed += sums.smoothed;
    result.sums.plain += sums.plain;
    result.sums.tokens += sums.tokens;
  }
  store.complete_gradients();
  if (result.sums.tokens == 0) return result;
  const double scale = 1 / static_cast<double>(result.sums.tokens);
  const Clipping clipping = clip(scale, update);
  result.gradient_norm = clipping.norm;
  optimizer_.step({.lr = lr, .gradient_scale = clipping.gradient_scale});
  return result;
}

Clipping Updater::clip(double scale, int64_t update) {
  try {
    return clip_by_global_norm(flat_parameters(model_.parameters()), scale, options_.clip_norm,
                               update);
  } catch (const NonFiniteError&) {
    // A rectifier makes zeros of NaN, so that a bad parameter may show in the gradients first.
    require_finite_parameters(model_.parameters(), update, options_.clip_norm);
    throw;
  }
}

LossSums Updater::add_gradients(const Batch& batch, uint64_t seed) {
  Tape tape({.record = true, .training = true, .activations = options_.activations, .seed = seed});
  const Loss loss = criterion_(tape, model_, batch);
  if (std::isfinite(loss.sums.smoothed)) tape.backward(loss.variable);
  return loss.sums;
}

// The same forward pass once more, looking at every intermediate value.
void Updater::explain_loss(const Batch& batch, uint64_t seed, int64_t update) {
  require_finite_parameters(model_.parameters(), update, options_.clip_norm);
  try {
    Tape tape({.record = false,
               .training = true,
               .activations = options_.activations,
               .seed = seed,
               .check_finite = true});
    criterion_(tape, model_, batch);
  } catch (const NonFiniteError& error) {
    throw NonFiniteError(
        fmt::format("{} at update {}; {}", error.what(), update, remedy(options_.clip_norm)));
  }
  throw NonFiniteError(
      fmt::format("the loss is not finite at update {}, while every layer's output is; {}", update,
                  remedy(options_.clip_norm)));
}

}  // namespace skein
