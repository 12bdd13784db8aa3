#include "skein/train/load_model.h"

#include "skein/base/error.h"
#include "skein/base/files.h"
#include "skein/text/tokenizers.h"
#include "skein/train/model_folder.h"

namespace skein {

std::unique_ptr<TrainOptions> read_train_options(const std::filesystem::path& config) {
  const std::string text = read_file(config);
  const std::string name = model_name_in(text, config.string());
  if (name.empty()) {
    throw FormatError(config.string() + ": no model.name; it is not the configuration of a model");
  }
  auto options = std::make_unique<TrainOptions>(name);
  options->settings().read_toml(text, config.string());
  return options;
}

Tokenizers load_tokenizers(const std::filesystem::path& folder, const LanguageOptions& language) {
  Tokenizers tokenizers;
  tokenizers.target = load_tokenizer(folder / language.target_vocabulary);
  if (language.source.empty()) return tokenizers;
  tokenizers.source = language.source_vocabulary == language.target_vocabulary
                          ? tokenizers.target
                          : load_tokenizer(folder / language.source_vocabulary);
  return tokenizers;
}

VocabularySizes vocabulary_sizes(const Tokenizers& tokenizers) {
  return {.source = tokenizers.source ? tokenizers.source->vocabulary().size() : 0,
          .target = tokenizers.target->vocabulary().size(),
          .shared = tokenizers.source == tokenizers.target};
}

std::vector<NamedTensor> named_parameters(const ParameterStore& store) {
  std::vector<NamedTensor> named;
  for (const Parameter& each : store.parameters())
    named.push_back({each.name, each.variable.value()});
  return named;
}

LoadedModel load_model(const std::filesystem::path& folder, const std::string& precision) {
  const ModelFolder files(folder);
  LoadedModel loaded;
  loaded.options = read_train_options(files.config());
  const Tokenizers tokenizers = load_tokenizers(files.path(), loaded.options->language);
  loaded.source_tokenizer = tokenizers.source;
  loaded.target_tokenizer = tokenizers.target;
  loaded.model = loaded.options->model->build(vocabulary_sizes(tokenizers));
  const DType type = activation_type(precision);
  loaded.model->set_inference_type(type);
  loaded.model->parameters().allocate({.half = type == DType::kBF16, .gradients = false});
  files.load(named_parameters(loaded.model->parameters()));
  loaded.model->parameters().refresh_half();
  loaded.model->parameters().freeze();
  return loaded;
}

}  // namespace skein
