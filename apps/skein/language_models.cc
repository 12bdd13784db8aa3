#include "apps/skein/language_models.h"

#include <fmt/format.h>

#include <utility>

#include "skein/base/error.h"
#include "skein/decode/language_model_scorer.h"
#include "skein/decode/tempered_scorer.h"

namespace skein::command {

LanguageModels::LanguageModels(const std::vector<std::string>& folders, const ModelChoice& choice) {
  require_one_each(folders, choice);
  for (const std::string& folder : folders) {
    loaded_.push_back(load(folder, choice));
    if (loaded_.back().model->has_source()) {
      throw UsageError(
          fmt::format("{} translates: without a source text it has nothing to say; use `skein "
                      "translate`, or a model trained on data that was prepared with --monolingual",
                      folder));
    }
    if (same_vocabulary(*loaded_.back().target_tokenizer, tokenizer())) continue;
    throw UsageError(
        fmt::format("{} and {} have different vocabularies; models that go on with a text together "
                    "need the same: prepare the data of both with one vocabulary",
                    folders.front(), folder));
  }
}

std::unique_ptr<StepScorer> LanguageModels::scorer(double temperature) const {
  std::vector<std::unique_ptr<StepScorer>> scorers;
  for (const LoadedModel& each : loaded_) {
    scorers.push_back(tempered(std::make_unique<LanguageModelScorer>(*each.model), temperature));
  }
  return ensemble_of(std::move(scorers));
}

}  // namespace skein::command
