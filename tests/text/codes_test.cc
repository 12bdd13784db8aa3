#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "shared_data.h"
#include "skein/base/error.h"
#include "skein/base/files.h"
#include "skein/text/bpe_codes.h"
#include "skein/text/bpe_learn.h"
#include "skein/text/counter.h"
#include "skein/text/split_words.h"
#include "skein/text/tokenizers.h"
#include "text/text_support.h"

namespace skein {
namespace {

using testing::ElementsAre;

std::vector<std::string> split(std::string_view codes, std::string_view word) {
  const BpeCodes parsed = BpeCodes::parse(codes, "codes");
  std::vector<std::string> texts;
  for (const BpeCodes::Part& part : parsed.split(word)) texts.emplace_back(part.text);
  return texts;
}

// Sennrich et al. 2016, figure 1: the words low (5), lowest (2), newer (6), wider (3) give the
// merges r·, lo, low, er·; ties are broken as subword-nmt does, so the order of the equally
// frequent differs from the figure.
TEST(BpeLearn, TheExampleOfThePaper) {
  const std::vector<std::pair<std::string, int64_t>> words = {
      {"low", 5}, {"lowest", 2}, {"newer", 6}, {"wider", 3}};
  // e r</w> 9; l o 7; then lo w</w> 5 against n e, e w, w er</w> 6: the last in order, "w er</w>".
  EXPECT_EQ(learn_bpe_codes(words, 3), "#version: 0.2\ne r</w>\nl o\nw er</w>\n");
}

TEST(BpeLearn, StopsWhenNoPairOccursTwice) {
  const std::vector<std::pair<std::string, int64_t>> words = {{"ab", 2}, {"xy", 1}};
  EXPECT_EQ(learn_bpe_codes(words, 100), "#version: 0.2\na b</w>\n");
}

TEST(BpeCodes, MergesInTheOrderOfTheFile) {
  EXPECT_THAT(split("#version: 0.2\ne r</w>\nl o\nlo w\n", "lower"), ElementsAre("low", "er"));
  EXPECT_THAT(split("#version: 0.2\ne r</w>\nl o\nlo w\n", "low"), ElementsAre("lo", "w"))
      << "the last character bears the end of word";
}

TEST(BpeCodes, VersionOneHasTheEndOfWordAsASymbolOfItsOwn) {
  EXPECT_THAT(split("l o\nlo w\nlow </w>\n", "low"), ElementsAre("low"));
  EXPECT_THAT(split("#version: 0.1\nl o\n", "low"), ElementsAre("lo", "w"));
}

TEST(BpeCodes, FastBpeFilesHaveACountInTheThirdColumn) {
  EXPECT_THAT(split("e r</w> 9\nl o 7\nlo w 2\n", "lower"), ElementsAre("low", "er"));
}

TEST(BpeCodes, CharactersThatTheCodesLackStayAlone) {
  EXPECT_THAT(split("#version: 0.2\na b\n", "abßab世"), ElementsAre("ab", "ß", "ab", "世"));
}

TEST(BpeCodes, ErrorsNameTheLine) {
  const auto failure = [](std::string_view codes) {
    return error_of<FormatError>([&] { BpeCodes::parse(codes, "codes.txt"); });
  };
  EXPECT_EQ(failure("#version: 0.2\na b\na b c\n"),
            "codes.txt:3: 'a b c' is no merge; two symbols, or two symbols and a count (in every "
            "line), were expected");
  EXPECT_EQ(failure("#version: 0.3\n"),
            "codes.txt:1: codes of version '0.3' were found; 0.1 or 0.2 was expected");
  EXPECT_EQ(failure("a b\n\n").substr(0, 24), "codes.txt:2: '' is no me");
  EXPECT_EQ(failure("a \xFF\n"), "codes.txt:1: the line is not UTF-8; convert the file");
  EXPECT_EQ(failure(""), "codes.txt:1: the file holds no merges; is it a codes file?");
}

TEST(CodesTokenizer, ANewWordOfKnownCharactersIsNeverUnknown) {
  const auto codes =
      learn_tokenizer("codes", {.size = 50}, lines_of({"low lower lowest", "low newer"}));
  EXPECT_EQ(codes->decode(encoded(*codes, "wolwe tsol")), "wolwe tsol");
  for (const int32_t id : encoded(*codes, "wolwe tsol")) EXPECT_NE(id, kUnkId);
}

TEST(CodesTokenizer, APartOutsideTheVocabularyIsCutFurther) {
  // "low" occurs once only, so its pieces are those that its last merge joined.
  const auto codes = learn_tokenizer(
      "codes",
      {.minimum_count = 2, .codes = "#version: 0.2\nl o\nlo w</w>\n", .codes_origin = "codes"},
      lines_of({"low lot lot lob"}));
  EXPECT_THAT(codes->pieces("low lot"), ElementsAre("lo@@", "w", "lo@@", "t"));
}

TEST(CodesTokenizer, DropoutOneLeavesCharactersAndZeroTheBestSplit) {
  const auto codes = learn_tokenizer("codes", {.size = 50}, lines_of({"lower lower newer newer"}));
  Random random(1);
  const std::vector<int32_t> best = encoded(*codes, "lower newer");
  EXPECT_EQ(codes->resample(best, 1.0, random).size(), 10U);
  EXPECT_EQ(codes->resample(best, 0.0, random), best);
}

TEST(CodesTokenizer, ResamplingKeepsTheTextSymbolsAndWordsWithUnknownPieces) {
  const auto codes = learn_tokenizer("codes", {.size = 50, .symbols = {"<tag>"}},
                                     lines_of({"lower lower newer newer", "lowest newest"}));
  Random random(3);
  const std::vector<int32_t> ids = encoded(*codes, "<tag> lower \u00e9lower newest");
  std::set<std::vector<int32_t>> splits;
  for (int i = 0; i < 200; ++i) {
    const std::vector<int32_t> sampled = codes->resample(ids, 0.3, random);
    ASSERT_EQ(codes->decode(sampled), codes->decode(ids));
    EXPECT_EQ(sampled.front(), ids.front());
    splits.insert(sampled);
  }
  EXPECT_GT(splits.size(), 20U);
  EXPECT_THAT(codes->resample({}, 0.3, random), testing::IsEmpty());
}

class SubwordNmtReference : public testing::Test {
 protected:
  void SetUp() override {
    if (!shared_available()) GTEST_SKIP() << "../shared/" << kFolder << " is not there";
  }

  static std::vector<std::string> lines_of_file(const std::string& name) {
    std::ifstream file(shared_path(kFolder) / name);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  static constexpr const char* kFolder = "data/formats/subword-nmt";
};

// bpe.ref: what subword-nmt learns from corpus.en with 1000 merges.
TEST_F(SubwordNmtReference, LearningGivesTheSameCodes) {
  Counter counter;
  for (const std::string& line : lines_of_file("corpus.en")) {
    split_words(line, [&counter](std::string_view word) { counter.add(word); });
  }
  EXPECT_EQ(learn_bpe_codes(counter.sorted(), 1000), read_file(shared_path(kFolder) / "bpe.ref"));
}

TEST_F(SubwordNmtReference, SplittingGivesTheSamePieces) {
  const auto codes = learn_tokenizer("codes",
                                     {.normalization = Normalization::kNone,
                                      .codes = read_file(shared_path(kFolder) / "bpe.ref"),
                                      .codes_origin = "bpe.ref"},
                                     lines_of(lines_of_file("corpus.en")));
  const std::vector<std::string> text = lines_of_file("corpus.en");
  const std::vector<std::string> expected = lines_of_file("corpus.bpe.ref.en");
  ASSERT_EQ(text.size(), expected.size());
  for (size_t i = 0; i < text.size(); ++i) {
    std::vector<std::string> expected_pieces;
    split_words(expected[i], [&](std::string_view piece) { expected_pieces.emplace_back(piece); });
    ASSERT_EQ(codes->pieces(text[i]), expected_pieces) << "line " << i + 1;
    std::string joined;
    split_words(text[i],
                [&](std::string_view word) { (joined += joined.empty() ? "" : " ") += word; });
    ASSERT_EQ(codes->decode(encoded(*codes, text[i])), joined) << "line " << i + 1;
  }
}

}  // namespace
}  // namespace skein
