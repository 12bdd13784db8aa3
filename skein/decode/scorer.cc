#include "skein/decode/scorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/kernels/top_k.h"
#include "skein/models/model.h"

namespace skein {
namespace {

// log(exp(a) + exp(b)); NaN if either is.
float log_add(float a, float b) {
  const float higher = a > b ? a : b;
  const float lower = a > b ? b : a;
  if (lower == -std::numeric_limits<float>::infinity()) return higher;
  return higher + std::log1p(std::exp(lower - higher));
}

// Turns each row into log-probabilities and calls mix(i, value i) for its values.
template <typename Mix>
void for_log_probabilities(const Tensor& logits, Mix&& mix) {
  const int64_t columns = logits.columns();
  const float* from = logits.data<float>();
  parallel_for(logits.rows(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const float* values = from + row * columns;
      const float shift = kernels::log_sum_exp({values, static_cast<size_t>(columns)});
      for (int64_t i = 0; i < columns; ++i) mix(row * columns + i, values[i] - shift);
    }
  });
}

}  // namespace

void StepScorer::read(std::span<const int32_t> tokens, int64_t count) {
  read_in_parts(tokens, count, 1, [&](std::span<const int32_t> column, int64_t) { step(column); });
}

EnsembleScorer::EnsembleScorer(std::vector<std::unique_ptr<StepScorer>> members)
    : members_(std::move(members)) {
  if (members_.empty()) throw UsageError("an ensemble needs at least one model");
  for (const auto& member : members_) {
    if (member->vocabulary() == vocabulary()) continue;
    throw UsageError(
        fmt::format("the models of the ensemble have vocabularies of {} and {} tokens; expected "
                    "models of one vocabulary",
                    vocabulary(), member->vocabulary()));
  }
}

int64_t EnsembleScorer::max_source_length() const {
  int64_t fewest = members_.front()->max_source_length();
  for (const auto& member : members_) fewest = std::min(fewest, member->max_source_length());
  return fewest;
}

int64_t EnsembleScorer::max_target_length() const {
  int64_t fewest = members_.front()->max_target_length();
  for (const auto& member : members_) fewest = std::min(fewest, member->max_target_length());
  return fewest;
}

void EnsembleScorer::start(const PackedSequences& source) {
  for (const auto& member : members_) member->start(source);
}

Tensor EnsembleScorer::step(std::span<const int32_t> previous) {
  Tensor sums = members_.front()->step(previous);
  float* sum = sums.data<float>();
  const auto share = std::log(static_cast<float>(members_.size()));
  for_log_probabilities(sums, [&](int64_t i, float value) { sum[i] = value - share; });
  for (size_t m = 1; m < members_.size(); ++m) {
    for_log_probabilities(members_[m]->step(previous),
                          [&](int64_t i, float value) { sum[i] = log_add(sum[i], value - share); });
  }
  return sums;
}

void EnsembleScorer::read(std::span<const int32_t> tokens, int64_t count) {
  for (const auto& member : members_) member->read(tokens, count);
}

void EnsembleScorer::select(std::span<const int32_t> rows) {
  for (const auto& member : members_) member->select(rows);
}

std::unique_ptr<StepScorer> ensemble_of(std::vector<std::unique_ptr<StepScorer>> members) {
  if (members.size() == 1) return std::move(members.front());
  return std::make_unique<EnsembleScorer>(std::move(members));
}

}  // namespace skein
