#include "skein/nn/adaptive_input.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "skein/autograd/functions.h"
#include "skein/autograd/rows.h"
#include "skein/base/error.h"

namespace skein {

int64_t band_width(int64_t width, double factor, size_t band) {
  const auto narrowed = static_cast<int64_t>(static_cast<double>(width) /
                                             std::pow(factor, static_cast<double>(band)));
  if (narrowed >= 1) return narrowed;
  throw UsageError(
      fmt::format("a width of {} leaves nothing for band {} of the words, each {} times narrower "
                  "than the last; give fewer model.cutoffs, a smaller model.adaptive_factor or a "
                  "wider model",
                  width, band + 1, factor));
}

AdaptiveInput::AdaptiveInput(ParameterStore& store, const std::string& name, const Options& options)
    : options_(options) {
  for (size_t b = 0; b < options.bands.count(); ++b) {
    const std::string band = fmt::format("{}.bands.{}.", name, b);
    const int64_t width = band_width(options.width, options.factor, b);
    weights_.push_back(
        {.embedding = store.add(band + "embedding.weight", {options.bands.words(b), width},
                                normal(1 / std::sqrt(static_cast<double>(width)))),
         .projection = store.add(band + "projection.weight", {options.width, width},
                                 xavier_uniform(width, options.width))});
  }
}

Variable AdaptiveInput::operator()(Tape& tape, std::span<const int32_t> ids, double scale) const {
  std::vector<WordBands::Members> members = options_.bands.split(ids);
  std::vector<PlacedRows> parts;
  for (size_t b = 0; b < members.size(); ++b) {
    if (members[b].rows.empty()) continue;
    const Variable embedded = embed(tape, {.ids = members[b].words,
                                           .position_rows = {},
                                           .table = weights_[b].embedding,
                                           .positions = {},
                                           .scale = scale});
    parts.push_back({.values = linear(tape, embedded, weights_[b].projection, Variable()),
                     .rows = std::move(members[b].rows)});
  }
  return merge_rows(tape, std::move(parts), static_cast<int64_t>(ids.size()), options_.width);
}

}  // namespace skein
