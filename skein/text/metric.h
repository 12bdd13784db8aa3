// What every metric of translation quality has in common: it turns a sentence and its references
// into a row of numbers, and the sum of the rows of a corpus into a score. Resampling a corpus
// (skein/text/significance.h) therefore only adds rows again.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skein {

struct MetricScore {
  double value = 0;    // 0 to 100; TER may exceed 100
  std::string detail;  // what the value is made of, in sacreBLEU's words; may be empty
};

class Metric {
 public:
  virtual ~Metric() = default;

  // As sacreBLEU prints it: "BLEU", "chrF2++", "TER".
  virtual std::string name() const = 0;
  // Every option that the score depends on, `key:value` joined by `|`, in sacreBLEU's keys and
  // order, so that two scores are comparable where the signatures differ in the version only.
  virtual std::string signature(size_t reference_count) const = 0;
  virtual bool higher_is_better() const { return true; }

  // The length of a row of statistics.
  virtual size_t width() const = 0;
  // Fills `statistics` ([width]) for one sentence. `references` holds at least one. Safe to call
  // from many threads.
  virtual void sentence_statistics(std::string_view hypothesis,
                                   std::span<const std::string_view> references,
                                   std::span<double> statistics) const = 0;
  // The score of summed statistics ([width]).
  virtual MetricScore score(std::span<const double> sums) const = 0;
};

// The references of a corpus: [references][sentences].
using References = std::vector<std::vector<std::string>>;

// The rows of a corpus: [sentences, width].
class CorpusStatistics {
 public:
  // Computes them on all threads. Throws Error when there is no sentence or no reference, or when a
  // reference has another number of sentences than `hypotheses`.
  CorpusStatistics(const Metric& metric, std::span<const std::string> hypotheses,
                   const References& references);

  size_t sentences() const { return rows_.size() / width_; }
  std::span<const double> row(size_t sentence) const {
    return std::span(rows_).subspan(sentence * width_, width_);
  }
  // [width]
  std::vector<double> sum() const;

 private:
  size_t width_;
  std::vector<double> rows_;
};

// Throws what CorpusStatistics throws.
MetricScore corpus_score(const Metric& metric, std::span<const std::string> hypotheses,
                         const References& references);

// The score of one sentence against its references. Throws Error when there is none.
MetricScore sentence_score(const Metric& metric, std::string_view hypothesis,
                           std::span<const std::string> references);

// "version:skein-X.Y.Z", which ends every signature. The scores equal those of sacreBLEU 2.6.0.
std::string signature_version();

}  // namespace skein
