// What holds for every metric, whatever the text.
#include "skein/text/metric.h"

#include <gtest/gtest.h>

#include "skein/base/random.h"
#include "skein/text/make_metric.h"

namespace skein {
namespace {

// Bytes that are often not UTF-8, rich in what the tokenisers look for.
std::string random_bytes(Random& random) {
  constexpr std::string_view kPieces[] = {".",  ",",    "-",        "5",    "a",      " ",
                                          "\n", "&lt;", "\xE3\x80", "\xFF", "\u6F22", "\u20AC"};
  std::string text = "a";
  for (uint64_t i = random.below(40); i > 0; --i) text += kPieces[random.below(std::size(kPieces))];
  return text;
}

MetricOptions options_with(BleuTokenizer tokenizer) {
  return {.bleu = {.tokenizer = tokenizer, .lower_case = true, .effective_order = true},
          .ter = {.normalized = true, .no_punct = true, .asian_support = true}};
}

TEST(Metric, ATextIsItsOwnBestTranslationAlsoWhereItIsNotUtf8) {
  Random random(1);
  for (int i = 0; i < 500; ++i) {
    const std::string text = random_bytes(random);
    const std::vector<std::string> references = {random_bytes(random), text};
    for (const char* tokenizer : {"13a", "intl", "char", "none"}) {
      const MetricOptions options = options_with(bleu_tokenizer(tokenizer));
      for (const char* name : {"bleu", "chrf", "chrf++"}) {
        EXPECT_NEAR(sentence_score(*make_metric(name, options), text, references).value, 100, 1e-9)
            << name << " " << text;
      }
      EXPECT_EQ(sentence_score(*make_metric("ter", options), text, references).value, 0) << text;
    }
  }
}

TEST(Metric, TheScoreOfACorpusIsThatOfItsSummedRows) {
  const std::vector<std::string> hypotheses = {"the cat sat", "on the mat today"};
  const References references = {{"the cat sits", "on the mat"}};
  for (const char* name : {"bleu", "chrf", "chrf++", "ter"}) {
    const auto metric = make_metric(name);
    const CorpusStatistics statistics(*metric, hypotheses, references);
    ASSERT_EQ(statistics.sentences(), 2u);
    std::vector<double> sums(metric->width());
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = statistics.row(0)[i] + statistics.row(1)[i];
    EXPECT_EQ(metric->score(sums).value, corpus_score(*metric, hypotheses, references).value);
  }
}

}  // namespace
}  // namespace skein
