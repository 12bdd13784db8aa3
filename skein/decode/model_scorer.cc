#include "skein/decode/model_scorer.h"

#include "skein/base/error.h"

namespace skein {

ModelScorer::ModelScorer(const Model& model) : model_(model) {
  if (!model.has_source()) {
    throw UsageError(
        "this is a language model: it has no source side to translate from; expected a model that "
        "was trained on pairs");
  }
}

void ModelScorer::start(const PackedSequences& source) {
  state_ = model_.start(source, static_cast<int64_t>(source.sentences()));
}

Tensor ModelScorer::step(std::span<const int32_t> previous) {
  return model_.step(*state_, previous);
}

void ModelScorer::select(std::span<const int32_t> rows) { state_->select(rows); }

}  // namespace skein
