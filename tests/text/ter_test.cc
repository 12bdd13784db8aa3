#include "skein/text/ter.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "skein/text/python_text.h"
#include "skein/text/ter_edit_distance.h"

namespace skein {
namespace {

double ter_of(const std::string& hypothesis, const std::vector<std::string>& references) {
  return sentence_score(Ter(), hypothesis, references).value;
}

int edits(std::vector<uint32_t> hypothesis, std::vector<uint32_t> reference) {
  return translation_edits(hypothesis, reference);
}

TEST(Ter, TheExampleOfThePaperTakesFourEdits) {
  // Snover et al. 2006, section 3: one shift, two substitutions, one insertion; 13 reference words.
  EXPECT_NEAR(
      ter_of(
          "THIS WEEK THE SAUDIS denied information published in the new york times",
          {"SAUDI ARABIA denied THIS WEEK information published in the AMERICAN new york times"}),
      100 * 4. / 13, 1e-9);
}

TEST(Ter, AMovedSequenceIsOneEdit) {
  EXPECT_EQ(edits({4, 5, 6, 1, 2, 3}, {1, 2, 3, 4, 5, 6}), 1);
  EXPECT_EQ(edits({1, 3, 4, 5, 2}, {1, 2, 3, 4, 5}), 1);
}

TEST(Ter, WithoutAMatchItIsTheEditDistance) {
  EXPECT_EQ(edits({1, 2, 3}, {4, 5}), 3);
  EXPECT_EQ(edits({1, 2, 3, 4}, {1, 3, 4}), 1);
  EXPECT_EQ(edits({}, {1, 2}), 2);
}

TEST(Ter, EmptyReferencesGive100AndBothEmpty0) {
  EXPECT_EQ(ter_of("a b", {""}), 100);
  EXPECT_EQ(ter_of("", {"a b"}), 100);
  EXPECT_EQ(ter_of("", {""}), 0);
}

TEST(Ter, FewestEditsOverMeanReferenceLength) {
  // 1 edit to the second reference; lengths 2 and 4.
  EXPECT_NEAR(ter_of("a b c", {"x y", "a b c d"}), 100 * 1. / 3, 1e-9);
}

TEST(Ter, AReferenceManyTimesLongerWidensTheBeam) {
  // 1 of 200 words is there.
  std::vector<uint32_t> reference(200);
  for (uint32_t i = 0; i < 200; ++i) reference[i] = i;
  EXPECT_EQ(edits({150}, reference), 199);
}

TEST(Ter, LongSentencesStayWithinTheBeam) {
  // 40 surplus words in front and 40 missing at the end are 80 edits, but 40 words off the diagonal
  // is beyond the beam of 25: every word is substituted. sacreBLEU 2.6.0 gives 100 as well.
  std::vector<uint32_t> reference(100), hypothesis;
  for (uint32_t i = 0; i < 100; ++i) reference[i] = i;
  for (uint32_t i = 0; i < 40; ++i) hypothesis.push_back(1000 + i);
  hypothesis.insert(hypothesis.end(), reference.begin(), reference.begin() + 60);
  EXPECT_EQ(edits(hypothesis, reference), 100);
}

TEST(TerEditDistance, AShiftedHypothesisHasTheDistanceOfAFullComputation) {
  const std::vector<uint32_t> reference = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<uint32_t> base = {1, 5, 2, 3, 4, 6, 9, 8};
  const std::vector<uint32_t> shifted = {1, 2, 3, 4, 5, 6, 9, 8};
  TerEditDistance distance(reference, base.size());
  EXPECT_EQ(distance.set_base(base), 3);
  EXPECT_EQ(distance.shifted(shifted, 1, 5), 1);
  EXPECT_EQ(distance.shifted(base, 1, 5), 3);
}

TEST(TerEditDistance, AlignsEachReferenceWord) {
  const std::vector<uint32_t> reference = {1, 2, 3};
  const std::vector<uint32_t> hypothesis = {1, 9, 3};
  TerEditDistance distance(reference, hypothesis.size());
  distance.set_base(hypothesis);
  const TerAlignment alignment = distance.alignment();
  EXPECT_EQ(alignment.hypothesis_position, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(alignment.reference_error, (std::vector<char>{0, 1, 0}));
  EXPECT_EQ(alignment.hypothesis_error, (std::vector<char>{0, 1, 0}));
}

std::string tokens(std::string_view line, const TerTokenizerOptions& options) {
  const std::string text = tokenize_for_ter(line, options);
  return fmt::format("{}", fmt::join(split_words(text), " "));
}

TEST(TerTokenizer, WesternOptionsGiveTheTokensOfSacreBleu) {
  // sacreBLEU 2.6.0, TercomTokenizer.
  const std::string_view line = "It's 5-6 o'clock, isn't it? (Yes.)";
  EXPECT_EQ(tokens(line, {}), "it's 5-6 o'clock, isn't it? (yes.)");
  EXPECT_EQ(tokens(line, {.normalized = true}), "it 's 5 - 6 o'clock , isn't it ? ( yes . )");
  EXPECT_EQ(tokens(line, {.no_punct = true}), "it's 5-6 o'clock isn't it yes");
  EXPECT_EQ(tokens(line, {.normalized = true, .no_punct = true, .case_sensitive = true}),
            "It 's 5 - 6 o'clock isn't it Yes");
}

TEST(TerTokenizer, AsianOptionsGiveTheTokensOfSacreBleu) {
  // sacreBLEU 2.6.0, TercomTokenizer.
  const std::string_view line = "日本語のテスト、です。(ok)";
  EXPECT_EQ(tokens(line, {.normalized = true}), "日本語のテスト、です。 ( ok )");
  EXPECT_EQ(tokens(line, {.normalized = true, .asian_support = true}),
            "日 本 語 のテスト 、 です 。 ( ok )");
  EXPECT_EQ(tokens(line, {.no_punct = true, .asian_support = true}), "日本語のテストですok");
}

TEST(Ter, TheSignatureNamesEveryOption) {
  EXPECT_EQ(Ter().signature(1),
            "nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|" + signature_version());
  EXPECT_EQ(
      Ter({.normalized = true, .no_punct = true, .asian_support = true, .case_sensitive = true})
          .signature(3),
      "nrefs:3|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes|" + signature_version());
}

}  // namespace
}  // namespace skein
