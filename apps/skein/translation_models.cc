#include "apps/skein/translation_models.h"

#include <fmt/format.h>

#include <utility>

#include "skein/base/error.h"
#include "skein/decode/fusion_scorer.h"
#include "skein/decode/language_model_scorer.h"
#include "skein/decode/model_scorer.h"
#include "skein/decode/tempered_scorer.h"

namespace skein::command {
namespace {

LoadedModel load_translation(const std::string& folder, const ModelChoice& choice) {
  LoadedModel model = load(folder, choice);
  if (model.model->has_source()) return model;
  throw UsageError(
      fmt::format("{} is a language model: it has no source side to translate from; `skein "
                  "generate` goes on with text, and --lm lets it help a model that translates",
                  folder));
}

LoadedModel load_language(const std::string& folder, const ModelChoice& choice) {
  LoadedModel model = load(folder, {.precision = choice.precision});
  if (!model.model->has_source()) return model;
  throw UsageError(
      fmt::format("{} translates, and --lm takes a language model: one trained on data that was "
                  "prepared with --monolingual",
                  folder));
}

}  // namespace

TranslationModels::TranslationModels(const std::vector<std::string>& folders,
                                     const ModelChoice& choice)
    : first_(folders.front()) {
  require_one_each(folders, choice);
  for (const std::string& folder : folders) {
    loaded_.push_back(load_translation(folder, choice));
    const LoadedModel& model = loaded_.back();
    if (same_vocabulary(*model.source_tokenizer, source()) &&
        same_vocabulary(*model.target_tokenizer, target())) {
      continue;
    }
    throw UsageError(
        fmt::format("{} and {} have different vocabularies; models that translate together need "
                    "the same: prepare the data of both with one vocabulary",
                    first_, folder));
  }
}

void TranslationModels::fuse(const std::string& folder, double weight, const ModelChoice& choice) {
  language_ = load_language(folder, choice);
  language_weight_ = weight;
  if (same_vocabulary(*language_.target_tokenizer, target())) return;
  throw UsageError(
      fmt::format("the vocabulary of {} is not the target vocabulary of {}; a language model helps "
                  "to translate if its data was prepared with that vocabulary",
                  folder, first_));
}

void TranslationModels::require_opposite(const LoadedModel& channel,
                                         const std::string& folder) const {
  const LanguageOptions& own = loaded_.front().options->language;
  const LanguageOptions& other = channel.options->language;
  if (other.source == own.target && other.target == own.source) return;
  throw UsageError(fmt::format(
      "{} translates {} to {} and {} {} to {}; --channel-model takes a model that "
      "translates back, from {} to {}",
      folder, other.source, other.target, first_, own.source, own.target, own.target, own.source));
}

std::unique_ptr<StepScorer> TranslationModels::scorer(double temperature) const {
  std::vector<std::unique_ptr<StepScorer>> scorers;
  for (const LoadedModel& each : loaded_) {
    scorers.push_back(tempered(std::make_unique<ModelScorer>(*each.model), temperature));
  }
  std::unique_ptr<StepScorer> scorer = ensemble_of(std::move(scorers));
  if (!language_.model) return scorer;
  return std::make_unique<FusionScorer>(
      std::move(scorer),
      tempered(std::make_unique<LanguageModelScorer>(*language_.model), temperature),
      language_weight_);
}

Aligner TranslationModels::aligner() const {
  std::vector<const Model*> models;
  for (const LoadedModel& each : loaded_) models.push_back(each.model.get());
  return Aligner(std::move(models));
}

ChannelModels::ChannelModels(const std::string& channel_folder, const std::string& language_folder,
                             const ModelChoice& choice, const RerankOptions& options)
    : channel_(load(channel_folder, {.precision = choice.precision})) {
  if (!channel_.model->has_source()) {
    throw UsageError(
        fmt::format("{} is a language model, and --channel-model takes a model that translates "
                    "back, from the target language into the source language",
                    channel_folder));
  }
  if (!language_folder.empty()) {
    language_ = load_language(language_folder, choice);
    language_model_.emplace(LanguageModel{*language_.model, *language_.target_tokenizer});
  }
  reranker_.emplace(
      ChannelModel{*channel_.model, *channel_.source_tokenizer, *channel_.target_tokenizer},
      language_model_ ? &*language_model_ : nullptr, options);
}

}  // namespace skein::command
