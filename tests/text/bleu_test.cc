#include "skein/text/bleu.h"

#include <gtest/gtest.h>

#include <cmath>

#include "skein/base/error.h"

namespace skein {
namespace {

// The examples of Papineni et al. 2002, in lower case and without the periods, as the paper counts.
const std::string kCandidate1 =
    "it is a guide to action which ensures that the military always obeys the commands of the "
    "party";
const std::string kCandidate2 =
    "it is to insure the troops forever hearing the activity guidebook that party direct";
const References kReferences = {
    {"it is a guide to action that ensures that the military will forever heed party commands"},
    {"it is the guiding principle which guarantees the military forces always being under the "
     "command of the party"},
    {"it is the practical guide for the army always to heed the directions of the party"}};

BleuParts parts_of(const Bleu& bleu, const std::vector<std::string>& hypotheses,
                   const References& references) {
  return bleu.parts(CorpusStatistics(bleu, hypotheses, references).sum());
}

double bleu_of(BleuOptions options, const std::string& hypothesis, const References& references) {
  return corpus_score(Bleu(options), std::vector<std::string>{hypothesis}, references).value;
}

TEST(Bleu, UnigramPrecisionsOfThePaperAre17Of18And8Of14) {
  const Bleu bleu({.tokenizer = BleuTokenizer::kNone});
  EXPECT_NEAR(parts_of(bleu, {kCandidate1}, kReferences).precisions[0], 100 * 17. / 18, 1e-9);
  EXPECT_NEAR(parts_of(bleu, {kCandidate2}, kReferences).precisions[0], 100 * 8. / 14, 1e-9);
}

TEST(Bleu, AWordCountsAtMostAsOftenAsInOneReference) {
  // Papineni et al. 2002, example 2: "the" occurs twice in the first reference, so 2 of 7 match.
  const Bleu bleu({.max_order = 1});
  const References references = {{"the cat is on the mat"}, {"there is a cat on the mat"}};
  EXPECT_NEAR(parts_of(bleu, {"the the the the the the the"}, references).precisions[0],
              100 * 2. / 7, 1e-9);
}

TEST(Bleu, TheReferenceNearestInLengthCountsAndOfTwoTheShorter) {
  const Bleu bleu({.max_order = 1});
  const References references = {{"a b c d e f"}, {"a b"}};
  EXPECT_EQ(parts_of(bleu, {"a b c d"}, references).reference_length, 2);
  EXPECT_EQ(parts_of(bleu, {"a b c d e"}, references).reference_length, 6);
}

TEST(Bleu, ShortOutputPaysTheBrevityPenalty) {
  // 2 of 3 words: exp(1 - 3/2).
  const Bleu bleu({.max_order = 1});
  EXPECT_NEAR(parts_of(bleu, {"a b"}, {{"a b c"}}).bleu, 100 * std::exp(-0.5), 1e-9);
}

TEST(Bleu, SmoothingsGiveTheScoresOfSacreBleu) {
  // sacreBLEU 2.6.0, BLEU(tokenize="none", smooth_method=...), with a period after each sentence.
  const std::string candidate = "I" + kCandidate2.substr(1) + " .";
  const References references = {
      {"It is a guide to action that ensures that the military will forever heed Party commands ."},
      {"It is the guiding principle which guarantees the military forces always being under the "
       "command of the Party ."},
      {"It is the practical guide for the army always to heed the directions of the party ."}};
  const auto score = [&](BleuSmoothing smoothing) {
    return bleu_of({.tokenizer = BleuTokenizer::kNone, .smoothing = smoothing}, candidate,
                   references);
  };
  EXPECT_NEAR(score(BleuSmoothing::kExp), 6.699559159060897, 1e-9);
  EXPECT_NEAR(score(BleuSmoothing::kFloor), 3.563023798697378, 1e-9);
  EXPECT_NEAR(score(BleuSmoothing::kAddK), 12.672103717404426, 1e-9);
  EXPECT_EQ(score(BleuSmoothing::kNone), 0);
}

TEST(Bleu, ASentenceOfLessThanFourTokensNeedsTheEffectiveOrder) {
  EXPECT_EQ(bleu_of({}, "a b c", {{"a b c"}}), 0);
  EXPECT_NEAR(bleu_of({.effective_order = true}, "a b c", {{"a b c"}}), 100, 1e-9);
}

TEST(Bleu, EmptyTextScoresZero) {
  EXPECT_EQ(bleu_of({}, "", {{""}}), 0);
  EXPECT_EQ(bleu_of({}, "", {{"a b"}}), 0);
  EXPECT_EQ(bleu_of({}, "a b", {{""}}), 0);
}

TEST(Bleu, LowerCaseIsThatOfUnicode) {
  EXPECT_EQ(bleu_of({.max_order = 1}, "ÄRGER", {{"ärger"}}), 0);
  EXPECT_NEAR(bleu_of({.lower_case = true, .max_order = 1}, "ÄRGER", {{"ärger"}}), 100, 1e-9);
}

TEST(Bleu, ASentenceScoresLikeACorpusOfOne) {
  const Bleu bleu({.effective_order = true});
  const std::vector<std::string> references = {"the cat sat on the mat", "a cat sat on a mat"};
  EXPECT_EQ(sentence_score(bleu, "the cat sat on a mat", references).value,
            bleu_of({.effective_order = true}, "the cat sat on a mat",
                    {{references[0]}, {references[1]}}));
}

TEST(Bleu, TheSignatureNamesEveryOption) {
  EXPECT_EQ(Bleu().signature(1),
            "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|" + signature_version());
  const Bleu other({.tokenizer = BleuTokenizer::kIntl,
                    .lower_case = true,
                    .smoothing = BleuSmoothing::kFloor,
                    .effective_order = true});
  EXPECT_EQ(other.signature(2),
            "nrefs:2|case:lc|eff:yes|tok:intl|smooth:floor[0.10]|" + signature_version());
}

TEST(Bleu, TheDetailIsWordedAsInSacreBleu) {
  const Bleu bleu({.max_order = 2});
  const MetricScore score = corpus_score(bleu, std::vector<std::string>{"a b"}, {{"a b c"}});
  EXPECT_EQ(score.detail, "100.0/100.0 (BP = 0.607 ratio = 0.667 hyp_len = 2 ref_len = 3)");
}

TEST(Bleu, UnequalOrMissingReferencesAreRefused) {
  const std::vector<std::string> two = {"a", "b"};
  EXPECT_THROW(corpus_score(Bleu(), two, {}), Error);
  EXPECT_THROW(corpus_score(Bleu(), {}, {{}}), Error);
  EXPECT_THROW(sentence_score(Bleu(), "a", {}), Error);
  try {
    corpus_score(Bleu(), two, {{"a", "b"}, {"a"}});
    FAIL() << "a reference that is too short was taken";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "reference 2 has 1 sentences and the hypothesis has 2; they must have the same "
                 "number");
  }
}

TEST(Bleu, OptionsOutOfRangeAreRefused) {
  EXPECT_THROW(Bleu({.max_order = 0}), UsageError);
  EXPECT_THROW(Bleu({.smoothing_value = -1}), UsageError);
  EXPECT_THROW(bleu_smoothing("expo"), UsageError);
  EXPECT_EQ(bleu_smoothing("add-k"), BleuSmoothing::kAddK);
}

}  // namespace
}  // namespace skein
