#include "skein/text/chrf.h"

#include <gtest/gtest.h>

#include "skein/base/error.h"

namespace skein {
namespace {

double chrf_of(ChrfOptions options, const std::string& hypothesis,
               const std::vector<std::string>& references) {
  return sentence_score(Chrf(options), hypothesis, references).value;
}

TEST(Chrf, IsTheFScoreOfMeanPrecisionAndRecall) {
  // Characters: 2 of 3 match; pairs: 1 of 2. Precision and recall both (2/3 + 1/2) / 2 = 7/12.
  EXPECT_NEAR(chrf_of({.character_order = 2}, "abc", {"abd"}), 100 * 7. / 12, 1e-9);
}

TEST(Chrf, RecallCountsBetaSquaredTimesAsMuch) {
  // Precision 1, recall 1/2: 5 * 1/2 / (4 * 1 + 1/2) with beta 2, 2 * 1/2 / (1 + 1/2) with beta 1.
  EXPECT_NEAR(chrf_of({.character_order = 1}, "a", {"ab"}), 100 * 2.5 / 4.5, 1e-9);
  EXPECT_NEAR(chrf_of({.character_order = 1, .beta = 1}, "a", {"ab"}), 100 / 1.5, 1e-9);
}

TEST(Chrf, WordsWithTheirPunctuationApartAddToChrfPlus) {
  // Characters of "abcd." and "abce.": 4 of 5; pairs: 2 of 4; words "ab", "cd", ".": 2 of 3.
  EXPECT_NEAR(chrf_of({.character_order = 2, .word_order = 1}, "ab cd.", {"ab ce."}),
              100 * (4. / 5 + 2. / 4 + 2. / 3) / 3, 1e-9);
}

TEST(Chrf, TheBestReferenceCounts) {
  EXPECT_NEAR(chrf_of({}, "cat", {"dog", "cat"}), 100, 1e-9);
  EXPECT_EQ(chrf_of({}, "cat", {"dog", "cat"}), chrf_of({}, "cat", {"cat", "dog"}));
}

TEST(Chrf, GivesTheScoresOfSacreBleu) {
  // sacreBLEU 2.6.0, CHRF(...), on the first example of Papineni et al. 2002.
  const std::string hypothesis =
      "It is a guide to action which ensures that the military always obeys the commands of the "
      "party .";
  const std::vector<std::string> references = {
      "It is a guide to action that ensures that the military will forever heed Party commands .",
      "It is the guiding principle which guarantees the military forces always being under the "
      "command of the Party .",
      "It is the practical guide for the army always to heed the directions of the party ."};
  EXPECT_NEAR(chrf_of({}, hypothesis, references), 62.39771662829483, 1e-9);
  EXPECT_NEAR(chrf_of({.word_order = 2}, hypothesis, references), 61.520485847384734, 1e-9);
  EXPECT_NEAR(chrf_of({.word_order = 2, .epsilon_smoothing = true}, hypothesis, references),
              61.51651782319956, 1e-9);
  EXPECT_NEAR(chrf_of({.white_space = true}, hypothesis, references), 67.65228392243993, 1e-9);
}

TEST(Chrf, OrdersThatTheReferenceIsTooShortForDoNotCount) {
  EXPECT_NEAR(chrf_of({}, "a", {"a"}), 100, 1e-9);
  EXPECT_NEAR(chrf_of({.epsilon_smoothing = true}, "a", {"a"}), 100. / 6, 1e-9);
}

TEST(Chrf, EmptyTextScoresZero) {
  EXPECT_EQ(chrf_of({}, "", {""}), 0);
  EXPECT_EQ(chrf_of({}, "", {"a b"}), 0);
  EXPECT_EQ(chrf_of({}, "a b", {""}), 0);
}

TEST(Chrf, WhiteSpaceOfUnicodeIsNoCharacter) {
  EXPECT_NEAR(chrf_of({}, "10\u00A0000\u3000km", {"10 000 km"}), 100, 1e-9);
}

TEST(Chrf, LowerCaseIsThatOfUnicode) {
  EXPECT_LT(chrf_of({}, "ÄRGER", {"ärger"}), 100);
  EXPECT_NEAR(chrf_of({.lower_case = true}, "ÄRGER", {"ärger"}), 100, 1e-9);
}

TEST(Chrf, NameAndSignatureFollowTheOptions) {
  EXPECT_EQ(Chrf().name(), "chrF2");
  EXPECT_EQ(Chrf({.word_order = 2}).name(), "chrF2++");
  EXPECT_EQ(Chrf({.word_order = 2}).signature(1),
            "nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|" + signature_version());
}

TEST(Chrf, OptionsOutOfRangeAreRefused) {
  EXPECT_THROW(Chrf({.character_order = 0}), UsageError);
  EXPECT_THROW(Chrf({.word_order = -1}), UsageError);
  EXPECT_THROW(Chrf({.beta = 0}), UsageError);
}

}  // namespace
}  // namespace skein
