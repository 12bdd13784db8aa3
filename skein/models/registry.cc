#include "skein/models/registry.h"

#include "skein/models/transformer_presets.h"

namespace skein {

Registry<ModelFactory>& models() {
  static Registry<ModelFactory> registry = [] {
    Registry<ModelFactory> built_in("model");
    add_transformer_presets(built_in);
    return built_in;
  }();
  return registry;
}

}  // namespace skein
