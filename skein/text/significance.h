// How sure a score is: bootstrap resampling of the sentences of a corpus, for one system (a
// confidence interval) and for two on the same sentences (a paired test). Koehn 2004, "Statistical
// Significance Tests for Machine Translation Evaluation"; the p-value is that of sacreBLEU's
// --paired-bs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "skein/text/metric.h"

namespace skein {

struct BootstrapOptions {
  int samples = 1000;
  uint64_t seed = 12345;
};

// Mean and half the width of the central 95 % of resampled scores.
struct ConfidenceInterval {
  double mean = 0;
  double half_width = 0;
};

struct PairedComparison {
  double difference = 0;  // system minus baseline, on the corpus itself
  // The chance of a difference as large as this between systems that do not differ; below 0.05 is
  // commonly called significant. At least 1 / (samples + 1).
  double p_value = 1;
  double better = 0;  // share of samples in which the system beats the baseline
  ConfidenceInterval system;
  ConfidenceInterval baseline;
};

// The score of each sample: as many sentences as the corpus has, drawn from it with replacement.
// The sentences of a sample depend on the seed, its number and the size of the corpus only, so
// samples of two systems pair up. Throws UsageError when `samples` is below 1.
std::vector<double> bootstrap_scores(const Metric& metric, const CorpusStatistics& statistics,
                                     const BootstrapOptions& options);

ConfidenceInterval confidence_interval(std::vector<double> scores);

// With d the differences of the samples: how many of |d| - mean(|d|) reach the difference observed
// on the corpus, with 1 added to that count and to the number of samples. Equality counts as
// reaching, so that equal systems get 1 (sacreBLEU counts only what exceeds it, and gives them its
// least).
double paired_p_value(std::span<const double> differences, double observed);

// Throws Error when the two have different numbers of sentences.
PairedComparison compare_systems(const Metric& metric, const CorpusStatistics& system,
                                 const CorpusStatistics& baseline, const BootstrapOptions& options);

// The signature of a resampled score, `bs` and `seed` in sacreBLEU's place for them.
std::string bootstrap_signature(const std::string& signature, const BootstrapOptions& options);

}  // namespace skein
