#include "skein/decode/fusion_scorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/kernels/top_k.h"

namespace skein {
namespace {

// What turns a row into log-probabilities.
float shift_of(std::span<const float> row, ScoreKind kind) {
  return kind == ScoreKind::kLogits ? kernels::log_sum_exp(row) : 0;
}

}  // namespace

FusionScorer::FusionScorer(std::unique_ptr<StepScorer> translation,
                           std::unique_ptr<StepScorer> language, double weight)
    : translation_(std::move(translation)),
      language_(std::move(language)),
      weight_(static_cast<float>(weight)) {
  // Scores in f32 have to stay numbers.
  constexpr double kLargest = 1e6;
  if (!(std::abs(weight) <= kLargest)) {
    throw UsageError(fmt::format(
        "the weight of the language model is {}; expected a number of at most a million", weight));
  }
  if (translation_->vocabulary() == language_->vocabulary()) return;
  throw UsageError(
      fmt::format("the translation model has {} target tokens and the language model {}; expected "
                  "models of one vocabulary",
                  translation_->vocabulary(), language_->vocabulary()));
}

int64_t FusionScorer::max_target_length() const {
  return std::min(translation_->max_target_length(), language_->max_target_length());
}

void FusionScorer::start(const PackedSequences& source) {
  translation_->start(source);
  language_->start(source);
}

Tensor FusionScorer::step(std::span<const int32_t> previous) {
  Tensor scores = translation_->step(previous);
  const Tensor logits = language_->step(previous);
  const int64_t columns = vocabulary();
  parallel_for(scores.rows(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const std::span sums(scores.data<float>() + row * columns, static_cast<size_t>(columns));
      const std::span added(logits.data<float>() + row * columns, static_cast<size_t>(columns));
      const float shift =
          shift_of(sums, translation_->kind()) + weight_ * shift_of(added, language_->kind());
      for (size_t i = 0; i < sums.size(); ++i) sums[i] += weight_ * added[i] - shift;
    }
  });
  return scores;
}

void FusionScorer::read(std::span<const int32_t> tokens, int64_t count) {
  translation_->read(tokens, count);
  language_->read(tokens, count);
}

void FusionScorer::select(std::span<const int32_t> rows) {
  translation_->select(rows);
  language_->select(rows);
}

}  // namespace skein
