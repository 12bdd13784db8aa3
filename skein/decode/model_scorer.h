// A model as a search sees it.
#pragma once

#include <memory>

#include "skein/decode/scorer.h"
#include "skein/models/model.h"

namespace skein {

class ModelScorer final : public StepScorer {
 public:
  // The model must outlive this object; several scorers may share it. Throws UsageError if it is a
  // language model: it has no source side.
  explicit ModelScorer(const Model& model);

  int64_t vocabulary() const override { return model_.vocabulary(); }
  int64_t max_source_length() const override { return model_.max_source_length(); }
  int64_t max_target_length() const override { return model_.max_target_length(); }
  void start(const PackedSequences& source) override;
  Tensor step(std::span<const int32_t> previous) override;
  void read(std::span<const int32_t> tokens, int64_t count) override {
    model_.read(*state_, tokens, count);
  }
  void select(std::span<const int32_t> rows) override;

 private:
  const Model& model_;
  std::unique_ptr<DecodeState> state_;
};

}  // namespace skein
