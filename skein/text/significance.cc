#include "skein/text/significance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/base/random.h"

namespace skein {
namespace {

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The statistics of one sample, summed.
void resample(const CorpusStatistics& statistics, Random random, std::span<double> sums) {
  std::fill(sums.begin(), sums.end(), 0);
  for (size_t draw = 0; draw < statistics.sentences(); ++draw) {
    const std::span<const double> row = statistics.row(random.below(statistics.sentences()));
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += row[i];
  }
}

}  // namespace

std::vector<double> bootstrap_scores(const Metric& metric, const CorpusStatistics& statistics,
                                     const BootstrapOptions& options) {
  if (options.samples < 1) {
    throw UsageError(
        fmt::format("{} bootstrap samples were asked for; expected 1 or more", options.samples));
  }
  std::vector<double> scores(static_cast<size_t>(options.samples));
  parallel_for(options.samples, 8, [&](int64_t begin, int64_t end) {
    std::vector<double> sums(metric.width());
    for (int64_t sample = begin; sample < end; ++sample) {
      resample(statistics, Random(options.seed, static_cast<uint64_t>(sample)), sums);
      scores[static_cast<size_t>(sample)] = metric.score(sums).value;
    }
  });
  return scores;
}

ConfidenceInterval confidence_interval(std::vector<double> scores) {
  std::sort(scores.begin(), scores.end());
  const size_t cut = scores.size() / 40;  // 2.5 % on each side
  return {.mean = mean(scores), .half_width = (scores[scores.size() - 1 - cut] - scores[cut]) / 2};
}

double paired_p_value(std::span<const double> differences, double observed) {
  std::vector<double> sizes;
  for (const double difference : differences) sizes.push_back(std::abs(difference));
  const double mean_size = mean(sizes);
  const auto reached = std::count_if(sizes.begin(), sizes.end(), [&](double size) {
    return size - mean_size >= std::abs(observed);
  });
  return static_cast<double>(reached + 1) / static_cast<double>(sizes.size() + 1);
}

PairedComparison compare_systems(const Metric& metric, const CorpusStatistics& system,
                                 const CorpusStatistics& baseline,
                                 const BootstrapOptions& options) {
  if (system.sentences() != baseline.sentences()) {
    throw Error(fmt::format(
        "the system has {} sentences and the baseline has {}; they must have the same number",
        system.sentences(), baseline.sentences()));
  }
  const std::vector<double> system_scores = bootstrap_scores(metric, system, options);
  const std::vector<double> baseline_scores = bootstrap_scores(metric, baseline, options);
  std::vector<double> differences;
  int wins = 0;
  for (size_t i = 0; i < system_scores.size(); ++i) {
    differences.push_back(system_scores[i] - baseline_scores[i]);
    wins += metric.higher_is_better() ? differences.back() > 0 : differences.back() < 0;
  }
  const double observed = metric.score(system.sum()).value - metric.score(baseline.sum()).value;
  return {.difference = observed,
          .p_value = paired_p_value(differences, observed),
          .better = static_cast<double>(wins) / static_cast<double>(differences.size()),
          .system = confidence_interval(system_scores),
          .baseline = confidence_interval(baseline_scores)};
}

std::string bootstrap_signature(const std::string& signature, const BootstrapOptions& options) {
  const size_t second_key = signature.find('|');
  return fmt::format("{}|bs:{}|seed:{}{}", signature.substr(0, second_key), options.samples,
                     options.seed, signature.substr(second_key));
}

}  // namespace skein
