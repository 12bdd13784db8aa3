// What a Transformer-like model makes of tokens: their embedding times the root of its width, plus
// the embedding of their position, with dropout.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "skein/autograd/functions.h"
#include "skein/nn/adaptive_input.h"
#include "skein/nn/parameter_store.h"

namespace skein {

class TokenEmbedding {
 public:
  struct Options {
    int64_t width = 0;
    bool learned_positions = false;  // else sinusoidal
    int64_t max_positions = 0;       // the longest sentence
    double dropout = 0;
  };
  // `table` [words, width] is a parameter that others may share. Adds `name.positions.weight`
  // [max_positions + 2, width] where positions are learned.
  TokenEmbedding(ParameterStore& store, const std::string& name, Variable table,
                 const Options& options);
  // The same with words in bands instead of one table.
  TokenEmbedding(ParameterStore& store, const std::string& name, AdaptiveInput words,
                 const Options& options);

  // [tokens, width]; see position_rows().
  Variable operator()(Tape& tape, std::span<const int32_t> ids,
                      std::span<const int32_t> position_rows) const;
  // Undefined with bands; those: empty with a table.
  const Variable& table() const { return table_; }
  const std::optional<AdaptiveInput>& bands() const { return bands_; }

  // The initial values of the tables.
  static Initializer initializer(int64_t width);

 private:
  Options options_;
  Variable table_;
  std::optional<AdaptiveInput> bands_;
  Variable positions_;
};

}  // namespace skein
