// Shallow fusion (Gulcehre et al. 2015): a translation model and a language model of its target
// language together, log p(y | x) + weight · log p(y) for every token.
#pragma once

#include <memory>

#include "skein/decode/scorer.h"

namespace skein {

class FusionScorer final : public StepScorer {
 public:
  // Throws UsageError if the two differ in the size of their vocabularies, and for a
  // weight that is no finite f32.
  FusionScorer(std::unique_ptr<StepScorer> translation, std::unique_ptr<StepScorer> language,
               double weight);

  int64_t vocabulary() const override { return translation_->vocabulary(); }
  // The sums are no log-probabilities, and normalising them would undo what the language model
  // thinks of a whole hypothesis.
  ScoreKind kind() const override { return ScoreKind::kScores; }
  int64_t max_source_length() const override { return translation_->max_source_length(); }
  int64_t max_target_length() const override;
  void start(const PackedSequences& source) override;
  Tensor step(std::span<const int32_t> previous) override;
  void read(std::span<const int32_t> tokens, int64_t count) override;
  void select(std::span<const int32_t> rows) override;

 private:
  std::unique_ptr<StepScorer> translation_;
  std::unique_ptr<StepScorer> language_;
  float weight_;
};

}  // namespace skein
