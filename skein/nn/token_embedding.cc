#include "skein/nn/token_embedding.h"

#include <cmath>
#include <utility>

#include "skein/nn/positions.h"

namespace skein {
namespace {

Variable make_positions(ParameterStore& store, const std::string& name,
                        const TokenEmbedding::Options& options) {
  if (!options.learned_positions) {
    return Variable(sinusoidal_positions(options.max_positions, options.width));
  }
  return store.add(name + ".positions.weight",
                   {options.max_positions + kFirstPositionRow, options.width},
                   TokenEmbedding::initializer(options.width));
}

}  // namespace

TokenEmbedding::TokenEmbedding(ParameterStore& store, const std::string& name, Variable table,
                               const Options& options)
    : options_(options),
      table_(std::move(table)),
      positions_(make_positions(store, name, options)) {}

TokenEmbedding::TokenEmbedding(ParameterStore& store, const std::string& name, AdaptiveInput words,
                               const Options& options)
    : options_(options),
      bands_(std::move(words)),
      positions_(make_positions(store, name, options)) {}

Variable TokenEmbedding::operator()(Tape& tape, std::span<const int32_t> ids,
                                    std::span<const int32_t> position_rows) const {
  const double scale = std::sqrt(static_cast<double>(options_.width));
  if (!bands_) {
    return embed(tape, {.ids = ids,
                        .position_rows = position_rows,
                        .table = table_,
                        .positions = positions_,
                        .scale = scale,
                        .dropout = options_.dropout});
  }
  const Variable positions = embed(
      tape, {.ids = position_rows, .position_rows = {}, .table = positions_, .positions = {}});
  return dropout(tape, options_.dropout, add(tape, (*bands_)(tape, ids, scale), positions));
}

Initializer TokenEmbedding::initializer(int64_t width) {
  return normal(1 / std::sqrt(static_cast<double>(width)));
}

}  // namespace skein
