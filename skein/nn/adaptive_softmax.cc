#include "skein/nn/adaptive_softmax.h"

#include <fmt/format.h>

#include "skein/autograd/rows.h"

namespace skein {

AdaptiveSoftmax::AdaptiveSoftmax(ParameterStore& store, const std::string& name,
                                 const Options& options)
    : own_{.bands = options.bands, .head = {}, .tails = {}, .dropout = options.dropout} {
  const auto add = [&store](const std::string& parameter, int64_t outputs, int64_t inputs) {
    return store.add(parameter + ".weight", {outputs, inputs}, xavier_uniform(inputs, outputs));
  };
  const WordBands& bands = options.bands;
  const auto tails = static_cast<int64_t>(bands.count()) - 1;
  own_.head = add(name + ".head", bands.words(0) + tails, options.features);
  for (size_t b = 1; b < bands.count(); ++b) {
    const std::string band = fmt::format("{}.bands.{}.", name, b);
    const int64_t width = band_width(options.features, options.factor, b);
    own_.tails.push_back({.in = add(band + "in", width, options.features),
                          .out = add(band + "out", bands.words(b), width)});
  }
}

AdaptiveSoftmax::AdaptiveSoftmax(ParameterStore& store, const std::string& name,
                                 const AdaptiveInput& input, double dropout)
    : own_{.bands = input.bands(), .head = {}, .tails = {}, .dropout = dropout} {
  for (size_t b = 0; b < input.bands().count(); ++b) tied_.push_back(input.band(b));
  const auto tails = static_cast<int64_t>(input.bands().count()) - 1;
  if (tails == 0) return;
  const int64_t features = input.width();
  classes_ =
      store.add(name + ".classes.weight", {tails, features}, xavier_uniform(features, tails));
}

std::shared_ptr<const AdaptiveWeights> AdaptiveSoftmax::weights(Tape& tape) const {
  const Variable& first = tied_.empty() ? own_.head : tied_.front().embedding;
  if (tape.recording() || !first.frozen()) return put_together(tape);
  std::call_once(cache_->once, [&] {
    cache_->weights = put_together(tape);
    cache_->weights->head.freeze();
    for (const AdaptiveWeights::Tail& tail : cache_->weights->tails) tail.in.freeze();
  });
  const bool fits = tied_.empty() || cache_->weights->head.value().type() == tape.activations();
  return fits ? cache_->weights : put_together(tape);
}

std::shared_ptr<const AdaptiveWeights> AdaptiveSoftmax::put_together(Tape& tape) const {
  auto result = std::make_shared<AdaptiveWeights>(own_);
  if (tied_.empty()) return result;
  result->head = classes_.defined() ? concatenate_rows(tape, tied_.front().embedding, classes_)
                                    : tied_.front().embedding;
  for (size_t b = 1; b < tied_.size(); ++b) {
    result->tails.push_back(
        {.in = transpose(tape, tied_[b].projection), .out = tied_[b].embedding});
  }
  return result;
}

double AdaptiveSoftmax::multiply_adds(std::span<const int32_t> targets) const {
  const auto weights_of = [](const Variable& a, const Variable& b) {
    return static_cast<double>(a.value().elements() + b.value().elements());
  };
  const std::vector<WordBands::Members> members = own_.bands.split(targets);
  double head = 0;
  if (tied_.empty()) {
    head = static_cast<double>(own_.head.value().elements());
  } else {
    head = static_cast<double>(tied_.front().embedding.value().elements());
    if (classes_.defined()) head += static_cast<double>(classes_.value().elements());
  }
  double sum = static_cast<double>(targets.size()) * head;
  for (size_t b = 1; b < members.size(); ++b) {
    const double tail = tied_.empty() ? weights_of(own_.tails[b - 1].in, own_.tails[b - 1].out)
                                      : weights_of(tied_[b].projection, tied_[b].embedding);
    sum += static_cast<double>(members[b].rows.size()) * tail;
  }
  return sum;
}

}  // namespace skein
