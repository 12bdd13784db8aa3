// A model at a temperature: its logits divided by it. Models that are mixed are tempered before, so
// that they still are log-probabilities when they meet.
#pragma once

#include <memory>

#include "skein/decode/scorer.h"

namespace skein {

class TemperedScorer final : public StepScorer {
 public:
  // `model`: of logits. Throws UsageError for another kind and a temperature that require_valid()
  // refuses.
  TemperedScorer(std::unique_ptr<StepScorer> model, double temperature);

  int64_t vocabulary() const override { return model_->vocabulary(); }
  int64_t max_source_length() const override { return model_->max_source_length(); }
  int64_t max_target_length() const override { return model_->max_target_length(); }
  void start(const PackedSequences& source) override { model_->start(source); }
  Tensor step(std::span<const int32_t> previous) override;
  void read(std::span<const int32_t> tokens, int64_t count) override {
    model_->read(tokens, count);
  }
  void select(std::span<const int32_t> rows) override { model_->select(rows); }

 private:
  std::unique_ptr<StepScorer> model_;
  float scale_;
};

// The model itself at a temperature of 1. Throws what TemperedScorer's constructor throws.
std::unique_ptr<StepScorer> tempered(std::unique_ptr<StepScorer> model, double temperature);

}  // namespace skein
