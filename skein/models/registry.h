// Architectures and their presets by name: `transformer_base` is an architecture with its settings.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "skein/base/registry.h"
#include "skein/base/settings.h"
#include "skein/models/model.h"

namespace skein {

struct VocabularySizes {
  int64_t source = 0;  // 0 for language models
  int64_t target = 0;
  // True if source and target are one vocabulary, as tying their embeddings requires.
  bool shared = false;
};

// The settings of one model to be.
class ModelConfig {
 public:
  virtual ~ModelConfig() = default;
  // Adds every setting under `model.`; values already hold the preset's.
  virtual void bind(Settings& settings) = 0;
  // As the model's will be with these settings.
  virtual bool has_source() const { return true; }
  // Parameters have no memory yet. Throws UsageError for settings that contradict each other or the
  // vocabularies.
  virtual std::unique_ptr<Model> build(const VocabularySizes& vocabulary) const = 0;
};

using ModelFactory = std::function<std::unique_ptr<ModelConfig>()>;

// Each throws UsageError, naming a model to choose instead, if the data has the other number of
// languages.
void require_source_vocabulary(const VocabularySizes& vocabulary, const char* language_model);
void require_no_source_vocabulary(const VocabularySizes& vocabulary, const char* translation_model);

// The built-in models; plug-ins add theirs.
Registry<ModelFactory>& models();

}  // namespace skein
