#include "skein/decode/language_model_scorer.h"

#include <limits>

#include "skein/base/error.h"

namespace skein {

LanguageModelScorer::LanguageModelScorer(const Model& model)
    : model_(model), vocabulary_(model.vocabulary()) {
  if (!model.has_source()) return;
  throw UsageError(
      "this model translates: without a source text it has nothing to say; expected a language "
      "model, one trained on data that was prepared with --monolingual");
}

int64_t LanguageModelScorer::max_source_length() const {
  return std::numeric_limits<int64_t>::max();
}

void LanguageModelScorer::start(const PackedSequences& source) {
  state_ = model_.start({}, static_cast<int64_t>(source.sentences()));
}

Tensor LanguageModelScorer::step(std::span<const int32_t> previous) {
  return model_.step(*state_, previous);
}

}  // namespace skein
