// The settings of adaptive softmax and input, which several models have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "skein/autograd/word_bands.h"
#include "skein/base/settings.h"

namespace skein {

struct AdaptiveSettings {
  std::string cutoffs = {};  // "10000 20000 200000": where bands of words end; empty: one band
  double factor = 4;         // each band is this many times narrower than the one before
  double dropout = 0;        // inside the softmax's tails

  // Binds every member as model.cutoffs, model.adaptive_factor and model.adaptive_dropout.
  void bind(Settings& settings);
  // None without cut-offs. Throws UsageError for text that is no list of ascending numbers below
  // the vocabulary's size.
  std::optional<WordBands> bands(int64_t vocabulary) const;

  // model.adaptive_input, of models that have WordTables.
  static void bind_input(Settings& settings, bool* adaptive_input);
  // Throws UsageError if these, `share` and `adaptive_input` (see WordTableOptions) contradict each
  // other. `no_source`: what to set for a language model.
  void require_fit(bool has_source, const std::string& share, bool adaptive_input,
                   const char* no_source) const;
};

}  // namespace skein
