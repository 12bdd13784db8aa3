#include "skein/text/significance.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "shared_data.h"
#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/data/text_lines.h"
#include "skein/text/bleu.h"
#include "skein/text/make_metric.h"

namespace skein {
namespace {

// Percent of sentences that equal their reference.
class Accuracy : public Metric {
 public:
  std::string name() const override { return "accuracy"; }
  std::string signature(size_t) const override { return "nrefs:1|" + signature_version(); }
  size_t width() const override { return 2; }
  void sentence_statistics(std::string_view hypothesis,
                           std::span<const std::string_view> references,
                           std::span<double> statistics) const override {
    statistics[0] = hypothesis == references[0] ? 1 : 0;
    statistics[1] = 1;
  }
  MetricScore score(std::span<const double> sums) const override {
    return {.value = 100 * sums[0] / sums[1], .detail = ""};
  }
};

// `right` sentences of 100 are equal to the reference.
CorpusStatistics accuracy_of(size_t right) {
  std::vector<std::string> hypothesis;
  for (size_t i = 0; i < 100; ++i) hypothesis.emplace_back(1, i < right ? 'a' : 'x');
  return CorpusStatistics(Accuracy(), hypothesis, {std::vector<std::string>(100, "a")});
}

TEST(Bootstrap, TheIntervalOfAShareIsThatOfTheBinomialDistribution) {
  // 50 of 100: standard deviation 5 %, so 1.96 times that on each side; 1000 samples estimate it to
  // about a tenth.
  const auto scores = bootstrap_scores(Accuracy(), accuracy_of(50), {.samples = 1000, .seed = 1});
  const ConfidenceInterval interval = confidence_interval(scores);
  EXPECT_NEAR(interval.mean, 50, 0.6);
  EXPECT_NEAR(interval.half_width, 9.8, 1);
}

TEST(Bootstrap, TheSeedFixesTheScoresWhateverTheThreads) {
  const BootstrapOptions options = {.samples = 50, .seed = 7};
  const int before = threads();
  set_threads(1);
  const auto alone = bootstrap_scores(Accuracy(), accuracy_of(30), options);
  set_threads(3);
  const auto together = bootstrap_scores(Accuracy(), accuracy_of(30), options);
  set_threads(before);
  EXPECT_EQ(alone, together);
  EXPECT_NE(alone, bootstrap_scores(Accuracy(), accuracy_of(30), {.samples = 50, .seed = 8}));
}

TEST(Bootstrap, TheIntervalCutsOneIn40OnEachSide) {
  std::vector<double> scores(80);
  for (size_t i = 0; i < scores.size(); ++i) scores[i] = static_cast<double>(80 - i);
  const ConfidenceInterval interval = confidence_interval(scores);
  EXPECT_EQ(interval.mean, 40.5);
  EXPECT_EQ(interval.half_width, (78. - 3.) / 2);
}

TEST(PairedBootstrap, ThePValueCountsDeviationsThatReachTheDifference) {
  // |d| is 1, 2, 3, 6 with mean 3; of -2, -1, 0, 3 one reaches 2.5: (1 + 1) / (4 + 1).
  const std::array<double, 4> differences = {1, -2, 3, 6};
  EXPECT_EQ(paired_p_value(differences, 2.5), 0.4);
  EXPECT_EQ(paired_p_value(differences, -2.5), 0.4);
  EXPECT_EQ(paired_p_value(differences, 100), 0.2);
}

TEST(PairedBootstrap, EqualSystemsDoNotDiffer) {
  const PairedComparison comparison =
      compare_systems(Accuracy(), accuracy_of(50), accuracy_of(50), {});
  EXPECT_EQ(comparison.difference, 0);
  EXPECT_EQ(comparison.p_value, 1);
  EXPECT_EQ(comparison.better, 0);
}

TEST(PairedBootstrap, AMuchBetterSystemDiffersInEverySample) {
  const PairedComparison comparison =
      compare_systems(Accuracy(), accuracy_of(80), accuracy_of(30), {});
  EXPECT_NEAR(comparison.difference, 50, 1e-9);
  EXPECT_EQ(comparison.p_value, 1. / 1001);
  EXPECT_EQ(comparison.better, 1);
}

TEST(PairedBootstrap, LessIsBetterForTer) {
  const std::vector<std::string> good = {"a b c d", "e f g h"}, bad = {"x b c d", "e x g h"};
  const auto ter = make_metric("ter");
  const References references = {good};
  const PairedComparison comparison =
      compare_systems(*ter, CorpusStatistics(*ter, good, references),
                      CorpusStatistics(*ter, bad, references), {.samples = 10});
  EXPECT_EQ(comparison.difference, -25);
  EXPECT_EQ(comparison.better, 1);
}

TEST(PairedBootstrap, AgreesWithSacreBleuOnRealSystems) {
  if (!shared_available()) GTEST_SKIP() << "shared/data/metrics is not beside this checkout";
  const auto lines = [](const std::string& name) {
    return read_text_lines(shared_path("data/metrics/newstest2017.en-de/" + name + ".gz"),
                           ByteOrderMark::kKeep);
  };
  const References references = {lines("reference.txt")};
  const std::vector<std::string> system = lines("newstest2017.online-A.0.en-de.txt");
  const std::vector<std::string> baseline = lines("newstest2017.C-3MA.4959.en-de.txt");
  const auto compare = [&](const Metric& metric) {
    return compare_systems(metric, CorpusStatistics(metric, system, references),
                           CorpusStatistics(metric, baseline, references), {});
  };
  // sacreBLEU 2.6.0, PairedTest, 1000 samples of another random generator: BLEU 20.7965 (mean
  // 20.786 +- 0.609) against 22.6746 with p = 1/1001; chrF2 52.0023 against 51.9533 with p = 0.287.
  const PairedComparison bleu = compare(*make_metric("bleu"));
  EXPECT_NEAR(bleu.difference, 20.796506 - 22.674635, 1e-5);
  EXPECT_NEAR(bleu.system.mean, 20.786, 0.05);
  EXPECT_NEAR(bleu.system.half_width, 0.609, 0.06);
  EXPECT_EQ(bleu.p_value, 1. / 1001);
  const PairedComparison chrf = compare(*make_metric("chrf"));
  EXPECT_NEAR(chrf.difference, 52.002273 - 51.953280, 1e-5);
  EXPECT_NEAR(chrf.p_value, 0.287, 0.06);
}

TEST(PairedBootstrap, BadRequestsAreRefused) {
  EXPECT_THROW(bootstrap_scores(Accuracy(), accuracy_of(1), {.samples = 0}), UsageError);
  const CorpusStatistics one(Accuracy(), std::vector<std::string>{"a"}, {{"a"}});
  EXPECT_THROW(compare_systems(Accuracy(), one, accuracy_of(1), {}), Error);
}

TEST(PairedBootstrap, TheSignatureTellsSamplesAndSeed) {
  EXPECT_EQ(
      bootstrap_signature(Bleu().signature(1), {.samples = 1000, .seed = 12345}),
      "nrefs:1|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|" + signature_version());
}

TEST(MakeMetric, KnowsFourNames) {
  EXPECT_EQ(make_metric("bleu")->name(), "BLEU");
  EXPECT_EQ(make_metric("chrf")->name(), "chrF2");
  EXPECT_EQ(make_metric("chrf++")->name(), "chrF2++");
  EXPECT_EQ(make_metric("ter")->name(), "TER");
  EXPECT_THROW(make_metric("blue"), UsageError);
}

}  // namespace
}  // namespace skein
