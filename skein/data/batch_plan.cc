#include "skein/data/batch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "skein/base/error.h"
#include "skein/base/random.h"
#include "skein/data/mixture.h"

namespace skein {
namespace {

void check_options(const BatchOptions& options) {
  if (options.max_tokens < 1 || options.max_tokens > std::numeric_limits<int32_t>::max()) {
    throw UsageError(fmt::format("max_tokens is {}; it must be between 1 and {}",
                                 options.max_tokens, std::numeric_limits<int32_t>::max()));
  }
  if (options.max_sentences < 0 || options.pool_samples < 1) {
    throw UsageError(
        fmt::format("max_sentences is {} and pool_samples {}; they must be at least 0 and 1",
                    options.max_sentences, options.pool_samples));
  }
}

// The tokens that a sample takes of the budget of its larger side.
int64_t budget_of(const Samples& data, int64_t sample) {
  return std::max(data.source_length(sample), data.target_length(sample));
}

void check_lengths(const Samples& data, size_t data_set, int64_t max_tokens) {
  const int64_t begin = data.begins()[data_set], end = data.begins()[data_set + 1];
  int64_t too_long = 0;
  int64_t largest = 0;
  for (int64_t sample = begin; sample < end; ++sample) {
    const int64_t budget = budget_of(data, sample);
    if (budget > max_tokens) ++too_long;
    largest = std::max(largest, budget);
  }
  if (too_long == 0) return;
  if (!data.sentences()) {
    throw UsageError(fmt::format(
        "{}: {} of {} blocks do not fit in a batch of {} tokens (the longest has {}); raise "
        "data.max_tokens to {} or lower data.block_tokens",
        data.name(data_set), too_long, end - begin, max_tokens, largest, largest));
  }
  throw UsageError(fmt::format(
      "{}: {} of {} samples do not fit in a batch of {} tokens (the longest has {} with its end "
      "mark); "
      "raise max_tokens to {} or prepare the data again with --max-length {}",
      data.name(data_set), too_long, end - begin, max_tokens, largest, largest, max_tokens - 1));
}

void check_data(const Samples& data, int64_t max_tokens) {
  for (size_t i = 0; i < data.data_sets(); ++i) {
    if (data.begins()[i] == data.begins()[i + 1]) {
      throw UsageError(
          fmt::format("{}: no samples; prepare it from a corpus that has some", data.name(i)));
    }
    check_lengths(data, i, max_tokens);
  }
}

// How many samples an epoch sees. Throws UsageError if there are too many to number them.
void check_epoch(const Samples& data, const BatchOptions& options) {
  double samples = 0;
  for (size_t i = 0; i < data.data_sets(); ++i) {
    const auto size = static_cast<double>(data.begins()[i + 1] - data.begins()[i]);
    samples += size * (options.rates.empty() ? 1 : options.rates[i]);
  }
  constexpr double kMost = std::numeric_limits<uint32_t>::max();
  if (samples <= kMost && static_cast<double>(data.size()) <= kMost) return;
  throw UsageError(
      fmt::format("{}: an epoch of {:.4g} of {} samples; at most {} of as many are supported, give "
                  "smaller data.weights or prepare the corpus in parts",
                  data.name(0), samples, data.size(), std::numeric_limits<uint32_t>::max()));
}

// In the order of the files.
std::vector<uint32_t> epoch_of(const Samples& data, const BatchOptions& options, int64_t epoch) {
  std::vector<uint32_t> samples;
  for (size_t i = 0; i < data.data_sets(); ++i) {
    const int64_t begin = data.begins()[i];
    const double rate = options.rates.empty() ? 1 : options.rates[i];
    // Sets of one size must not go in step.
    const uint64_t seed = options.seed + (i + 1) * 0x9E3779B97F4A7C15;
    for (const uint32_t sample :
         samples_of_epoch(data.begins()[i + 1] - begin, rate, seed, epoch)) {
      samples.push_back(static_cast<uint32_t>(begin) + sample);
    }
  }
  return samples;
}

// Ties keep their order.
void sort_by_length(const Samples& data, std::span<uint32_t> samples) {
  std::vector<std::pair<int64_t, uint32_t>> keyed;
  keyed.reserve(samples.size());
  for (const uint32_t sample : samples) {
    keyed.emplace_back(data.source_length(sample) + data.target_length(sample), sample);
  }
  std::stable_sort(keyed.begin(), keyed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::transform(keyed.begin(), keyed.end(), samples.begin(),
                 [](const auto& pair) { return pair.second; });
}

void shuffle_into_sorted_pools(const Samples& data, size_t pool_samples, Random& random,
                               std::span<uint32_t> samples) {
  random.shuffle(samples);
  for (size_t begin = 0; begin < samples.size(); begin += pool_samples) {
    sort_by_length(data, samples.subspan(begin, std::min(pool_samples, samples.size() - begin)));
  }
}

}  // namespace

BatchPlan::BatchPlan(const Samples& data, const BatchOptions& options, int64_t epoch) {
  check_options(options);
  check_data(data, options.max_tokens);
  check_epoch(data, options);
  samples_ = epoch_of(data, options, epoch);
  Random random(options.seed, static_cast<uint64_t>(epoch));
  const BatchOrder order = epoch == 0 ? options.first_epoch_order : options.order;
  if (order == BatchOrder::kShuffled) {
    shuffle_into_sorted_pools(data, static_cast<size_t>(options.pool_samples), random, samples_);
  } else if (order == BatchOrder::kShortestFirst) {
    sort_by_length(data, samples_);
  }
  cut_into_batches(data, options);
  sequence_.resize(begins_.size() - 1);
  std::iota(sequence_.begin(), sequence_.end(), 0U);
  if (order == BatchOrder::kShuffled) random.shuffle(std::span(sequence_));
}

void BatchPlan::cut_into_batches(const Samples& data, const BatchOptions& options) {
  begins_ = {0};
  int64_t source_tokens = 0;
  int64_t target_tokens = 0;
  for (uint32_t i = 0; i < samples_.size(); ++i) {
    const int64_t source = data.source_length(samples_[i]);
    const int64_t target = data.target_length(samples_[i]);
    const bool full = source_tokens + source > options.max_tokens ||
                      target_tokens + target > options.max_tokens ||
                      (options.max_sentences > 0 && i - begins_.back() >= options.max_sentences);
    if (full) {
      begins_.push_back(i);
      source_tokens = 0;
      target_tokens = 0;
    }
    source_tokens += source;
    target_tokens += target;
  }
  begins_.push_back(static_cast<uint32_t>(samples_.size()));
}

std::span<const uint32_t> BatchPlan::samples(int64_t batch) const {
  const size_t chosen = sequence_[static_cast<size_t>(batch)];
  return std::span(samples_).subspan(begins_[chosen], begins_[chosen + 1] - begins_[chosen]);
}

}  // namespace skein
