// A trained model, ready to translate or score.
#pragma once

#include <filesystem>
#include <memory>

#include "skein/models/model.h"
#include "skein/text/tokenizer.h"
#include "skein/train/options.h"

namespace skein {

struct LoadedModel {
  std::unique_ptr<TrainOptions> options;
  std::unique_ptr<Model> model;
  std::shared_ptr<const Tokenizer> source_tokenizer;  // null for a language model
  std::shared_ptr<const Tokenizer> target_tokenizer;  // the same object for a shared vocabulary
};

// `folder` as ModelFolder takes it. `precision`: "auto", "bf16" or "f32". Throws FileError or
// FormatError for a folder that is no model or is damaged, or whose vocabulary does not fit its
// parameters.
LoadedModel load_model(const std::filesystem::path& folder, const std::string& precision = "auto");

// The settings in a model folder's configuration.
std::unique_ptr<TrainOptions> read_train_options(const std::filesystem::path& config);

struct Tokenizers {
  std::shared_ptr<const Tokenizer> source;
  std::shared_ptr<const Tokenizer> target;
};
Tokenizers load_tokenizers(const std::filesystem::path& folder, const LanguageOptions& language);
VocabularySizes vocabulary_sizes(const Tokenizers& tokenizers);

// The model's parameters under their names, for files.
std::vector<NamedTensor> named_parameters(const ParameterStore& store);

}  // namespace skein
