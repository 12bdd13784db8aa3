#include "skein/text/metric.h"

#include <fmt/format.h>

#include "skein/base/error.h"
#include "skein/base/parallel.h"

namespace skein {
namespace {

void check_sizes(std::span<const std::string> hypotheses, const References& references) {
  if (references.empty()) throw Error("no reference was given; a score needs at least one");
  for (size_t i = 0; i < references.size(); ++i) {
    if (references[i].size() != hypotheses.size()) {
      throw Error(fmt::format(
          "reference {} has {} sentences and the hypothesis has {}; they must have the same number",
          i + 1, references[i].size(), hypotheses.size()));
    }
  }
  if (hypotheses.empty()) throw Error("there is no sentence to score");
}

}  // namespace

CorpusStatistics::CorpusStatistics(const Metric& metric, std::span<const std::string> hypotheses,
                                   const References& references)
    : width_(metric.width()) {
  check_sizes(hypotheses, references);
  rows_.resize(hypotheses.size() * width_);
  const auto count = static_cast<int64_t>(hypotheses.size());
  parallel_for(count, 16, [&](int64_t begin, int64_t end) {
    std::vector<std::string_view> sentence_references(references.size());
    for (auto sentence = static_cast<size_t>(begin); sentence < static_cast<size_t>(end);
         ++sentence) {
      for (size_t i = 0; i < references.size(); ++i) {
        sentence_references[i] = references[i][sentence];
      }
      metric.sentence_statistics(hypotheses[sentence], sentence_references,
                                 std::span(rows_).subspan(sentence * width_, width_));
    }
  });
}

std::vector<double> CorpusStatistics::sum() const {
  std::vector<double> total(width_);
  for (size_t i = 0; i < rows_.size(); ++i) total[i % width_] += rows_[i];
  return total;
}

MetricScore corpus_score(const Metric& metric, std::span<const std::string> hypotheses,
                         const References& references) {
  return metric.score(CorpusStatistics(metric, hypotheses, references).sum());
}

MetricScore sentence_score(const Metric& metric, std::string_view hypothesis,
                           std::span<const std::string> references) {
  if (references.empty()) throw Error("no reference was given; a score needs at least one");
  const std::vector<std::string_view> views(references.begin(), references.end());
  std::vector<double> statistics(metric.width());
  metric.sentence_statistics(hypothesis, views, statistics);
  return metric.score(statistics);
}

std::string signature_version() { return "version:skein-" SKEIN_VERSION; }

}  // namespace skein
