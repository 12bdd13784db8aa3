#include "skein/decode/scorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/kernels/top_k.h"

namespace skein {
namespace {

// sums += softmax(logits), row by row.
void add_probabilities(const Tensor& logits, Tensor& sums) {
  const int64_t columns = logits.columns();
  const float* from = logits.data<float>();
  float* to = sums.data<float>();
  parallel_for(logits.rows(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const float* values = from + row * columns;
      const float shift = kernels::log_sum_exp({values, static_cast<size_t>(columns)});
      float* sum = to + row * columns;
      for (int64_t i = 0; i < columns; ++i) sum[i] += std::exp(values[i] - shift);
    }
  });
}

}  // namespace

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
  Tensor sums = Tensor::zeros({static_cast<int64_t>(previous.size()), vocabulary()}, DType::kF32);
  for (const auto& member : members_) add_probabilities(member->step(previous), sums);
  // What all models think impossible is kept apart from what a search forbids.
  constexpr float kSmallest = std::numeric_limits<float>::min();
  for (float& sum : sums.values<float>()) {
    sum = std::log(std::max(sum / static_cast<float>(members_.size()), kSmallest));
  }
  return sums;
}

void EnsembleScorer::select(std::span<const int32_t> rows) {
  for (const auto& member : members_) member->select(rows);
}

std::unique_ptr<StepScorer> ensemble_of(std::vector<std::unique_ptr<StepScorer>> members) {
  if (members.size() == 1) return std::move(members.front());
  return std::make_unique<EnsembleScorer>(std::move(members));
}

}  // namespace skein
