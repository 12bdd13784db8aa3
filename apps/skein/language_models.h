// The trained models that `skein generate` works with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/skein/model_choice.h"
#include "skein/decode/scorer.h"

namespace skein::command {

class LanguageModels {
 public:
  // Throws UsageError, naming the folders, for a model that translates or has another vocabulary
  // than the first, and for one checkpoint of several models.
  LanguageModels(const std::vector<std::string>& folders, const ModelChoice& choice);

  const Tokenizer& tokenizer() const { return *loaded_.front().target_tokenizer; }
  // Each model has this temperature. Throws what tempered() throws.
  std::unique_ptr<StepScorer> scorer(double temperature) const;

 private:
  std::vector<LoadedModel> loaded_;
};

}  // namespace skein::command
