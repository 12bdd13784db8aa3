#include "skein/models/registry.h"

#include <fmt/format.h>

#include "skein/base/error.h"
#include "skein/models/fconv_lm_presets.h"
#include "skein/models/fconv_presets.h"
#include "skein/models/lightconv_presets.h"
#include "skein/models/transformer_presets.h"

namespace skein {

void require_source_vocabulary(const VocabularySizes& vocabulary, const char* language_model) {
  if (vocabulary.source > 0) return;
  throw UsageError(fmt::format(
      "this model translates, but the data set has one language; prepare parallel text, "
      "or choose a language model ({})",
      language_model));
}

void require_no_source_vocabulary(const VocabularySizes& vocabulary,
                                  const char* translation_model) {
  if (vocabulary.source == 0) return;
  throw UsageError(fmt::format(
      "this model is a language model, but the data set has two languages; prepare with "
      "--monolingual, or choose a translation model ({})",
      translation_model));
}

Registry<ModelFactory>& models() {
  static Registry<ModelFactory> registry = [] {
    Registry<ModelFactory> built_in("model");
    add_transformer_presets(built_in);
    add_fconv_presets(built_in);
    add_lightconv_presets(built_in);
    add_fconv_lm_presets(built_in);
    return built_in;
  }();
  return registry;
}

}  // namespace skein
