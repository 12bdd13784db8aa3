// The trained models that `skein translate` works with.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/skein/model_choice.h"
#include "skein/decode/aligner.h"
#include "skein/decode/reranker.h"
#include "skein/decode/scorer.h"

namespace skein::command {

// Models that translate together, and perhaps a language model that helps at every token.
class TranslationModels {
 public:
  // Throws UsageError, naming the folders, for a model that does not translate or has another
  // vocabulary than the first, and for one checkpoint of several models.
  TranslationModels(const std::vector<std::string>& folders, const ModelChoice& choice);

  // Shallow fusion with a language model. Throws UsageError if it is none or its vocabulary is not
  // the target vocabulary.
  void fuse(const std::string& folder, double weight, const ModelChoice& choice);

  // Throws UsageError unless `channel`, which is the model in `folder`, translates in the opposite
  // direction.
  void require_opposite(const LoadedModel& channel, const std::string& folder) const;

  const Tokenizer& source() const { return *loaded_.front().source_tokenizer; }
  const Tokenizer& target() const { return *loaded_.front().target_tokenizer; }
  // Each model, the language model too, has this temperature. Throws what tempered() throws.
  std::unique_ptr<StepScorer> scorer(double temperature) const;
  Aligner aligner() const;

 private:
  std::string first_;  // folder
  std::vector<LoadedModel> loaded_;
  LoadedModel language_;
  double language_weight_ = 0;
};

// The models of noisy-channel reranking.
class ChannelModels {
 public:
  // language_folder: empty for none.
  ChannelModels(const std::string& channel_folder, const std::string& language_folder,
                const ModelChoice& choice, const RerankOptions& options);

  const LoadedModel& channel() const { return channel_; }
  const Reranker& reranker() const { return *reranker_; }

 private:
  LoadedModel channel_;
  LoadedModel language_;
  std::optional<LanguageModel> language_model_;
  std::optional<Reranker> reranker_;
};

}  // namespace skein::command
