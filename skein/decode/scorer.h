// What a search asks of a model: the distribution of the next token for many hypotheses at once.
// The search never sees more of it, so a table in a test or several models together do as well.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "skein/data/batch.h"
#include "skein/tensor/tensor.h"

namespace skein {

// What the values of a row are.
enum class ScoreKind {
  kLogits,  // log-probabilities up to a constant in each row
  kScores,  // what each token adds to its hypothesis's score, as it stands
};

// A row is one hypothesis under way. What a row is given depends on its own sentence and tokens
// only, never on the other rows.
class StepScorer {
 public:
  virtual ~StepScorer() = default;

  // Size of the target vocabulary.
  virtual int64_t vocabulary() const = 0;
  virtual ScoreKind kind() const { return ScoreKind::kLogits; }
  // Most tokens that a source sentence and a hypothesis may have, eos included.
  virtual int64_t max_source_length() const = 0;
  virtual int64_t max_target_length() const = 0;

  // Forgets what was, and begins every sentence of `source` (each ends in eos): one row a sentence.
  virtual void start(const PackedSequences& source) = 0;

  // previous: the last token of every row (kEosId at the start). Returns [rows, vocabulary] f32, of
  // that kind. The caller may overwrite them.
  virtual Tensor step(std::span<const int32_t> previous) = 0;

  // tokens [rows, count], one row after another: goes on as by `count` calls of step() whose values
  // nobody looks at, which is what it does by default.
  virtual void read(std::span<const int32_t> tokens, int64_t count);

  // Row i becomes what row rows[i] was; rows may repeat or vanish.
  virtual void select(std::span<const int32_t> rows) = 0;
};

// Several models as one: the mean of their probabilities.
class EnsembleScorer final : public StepScorer {
 public:
  // Throws UsageError if there is no member or their vocabularies differ in size.
  explicit EnsembleScorer(std::vector<std::unique_ptr<StepScorer>> members);

  int64_t vocabulary() const override { return members_.front()->vocabulary(); }
  int64_t max_source_length() const override;
  int64_t max_target_length() const override;
  void start(const PackedSequences& source) override;
  Tensor step(std::span<const int32_t> previous) override;
  void read(std::span<const int32_t> tokens, int64_t count) override;
  void select(std::span<const int32_t> rows) override;

 private:
  std::vector<std::unique_ptr<StepScorer>> members_;
};

// A single member itself, or the ensemble of several. Throws what EnsembleScorer's constructor
// throws.
std::unique_ptr<StepScorer> ensemble_of(std::vector<std::unique_ptr<StepScorer>> members);

}  // namespace skein
