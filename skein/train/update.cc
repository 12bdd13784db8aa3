#include "skein/train/update.h"

#include <fmt/format.h>

#include <algorithm>
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

// Of dropout; that of rank 0 is the one of a process that is alone.
uint64_t stream_of(int rank) { return static_cast<uint64_t>(rank) * 0x9E3779B97F4A7C15; }

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
  model_.parameters().clear_gradients();
  UpdateResult result{.sums = add_gradients(batches, update)};
  if (result.sums.tokens == 0) return result;
  const double scale = 1 / static_cast<double>(result.sums.tokens);
  const Clipping clipping = clip(scale, update);
  result.gradient_norm = clipping.norm;
  optimizer_.step({.lr = lr, .gradient_scale = clipping.gradient_scale});
  return result;
}

LossSums Updater::add_gradients(std::span<const Batch> batches, int64_t update) {
  GradientExchange* exchange = options_.exchange;
  // A stream of its own for every update, so that resuming needs no position, and for every rank.
  Random seeds(options_.seed + (exchange == nullptr ? 0 : stream_of(exchange->rank())),
               static_cast<uint64_t>(update));
  const auto has_tokens = [](const Batch& batch) { return !batch.target.tokens.empty(); };
  const auto last = std::find_if(batches.rbegin(), batches.rend(), has_tokens);
  LossSums sums;
  for (const Batch& batch : batches) {
    const uint64_t seed = seeds.next_u64();
    if (has_tokens(batch)) add_gradients(batch, seed, update, sums, &batch == &*last);
  }
  if (exchange == nullptr) {
    model_.parameters().complete_gradients();
    return sums;
  }
  if (last == batches.rend()) {
    exchange->begin();
    exchange->start_loss(sums);
  }
  return exchange->finish();
}

// With the last one, what is final leaves for the other ranks.
void Updater::add_gradients(const Batch& batch, uint64_t seed, int64_t update, LossSums& sums,
                            bool last) {
  GradientExchange* exchange = last ? options_.exchange : nullptr;
  if (exchange != nullptr) exchange->begin();
  Tape tape({.record = true,
             .training = true,
             .activations = options_.activations,
             .seed = seed,
             .after_operation = [exchange] {
               if (exchange != nullptr) exchange->advance();
             }});
  const Loss loss = criterion_(tape, model_, batch);
  if (!std::isfinite(loss.sums.smoothed)) explain_loss(batch, seed, update);
  sums.smoothed += loss.sums.smoothed;
  sums.plain += loss.sums.plain;
  sums.tokens += loss.sums.tokens;
  if (exchange != nullptr) exchange->start_loss(sums);
  tape.backward(loss.variable);
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
