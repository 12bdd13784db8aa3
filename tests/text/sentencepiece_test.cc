#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "shared_data.h"
#include "skein/base/error.h"
#include "skein/text/sentencepiece_tokenizer.h"
#include "skein/text/tokenizers.h"
#include "text/text_support.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> sentences() {
  std::vector<std::string> lines;
  for (int i = 0; i < 200; ++i) {
    lines.push_back(fmt::format("the goose number {} flies south over the lake", i));
    lines.push_back(fmt::format("die Gans Nummer {} fliegt nach Süden über den See", i));
  }
  return lines;
}

TEST(SentencePiece, LearnedModelsHaveOurSpecialTokensAtOurIds) {
  for (const std::string type : {"unigram", "bpe"}) {
    const auto model =
        learn_tokenizer(type, {.size = 70, .symbols = {"<2de>"}}, lines_of(sentences()));
    EXPECT_EQ(model->type(), type);
    EXPECT_EQ(model->vocabulary().size(), 70);
    EXPECT_THAT(model->vocabulary().pieces().subspan(0, 5),
                ElementsAre("<s>", "<pad>", "</s>", "<unk>", "<2de>"));
    EXPECT_EQ(encoded(*model, "<2de> the goose")[1], 4) << "after the space that begins every line";
  }
}

TEST(SentencePiece, LearningRepeatsExactly) {
  for (const std::string type : {"unigram", "bpe"}) {
    const LearnOptions options = {.size = 60, .sample_bytes = 8000, .seed = 3};
    EXPECT_EQ(learn_tokenizer(type, options, lines_of(sentences()))->serialize(),
              learn_tokenizer(type, options, lines_of(sentences()))->serialize());
  }
}

TEST(SentencePiece, TheFileReadsBackWithItsNormalForm) {
  const auto original = learn_tokenizer("bpe", {.size = 80, .normalization = Normalization::kNfc},
                                        lines_of(sentences()));
  const auto copy = SentencePieceTokenizer::load(original->serialize(), "vocab.model");
  EXPECT_EQ(copy->type(), "bpe");
  EXPECT_EQ(copy->normalization(), Normalization::kNfc);
  EXPECT_EQ(encoded(*copy, "Su\u0308den"), encoded(*original, "Süden"));
}

TEST(SentencePiece, WithByteFallbackEveryTextSurvives) {
  for (const std::string type : {"unigram", "bpe"}) {
    const auto model = learn_tokenizer(type,
                                       {.size = 320,
                                        .normalization = Normalization::kNone,
                                        .character_coverage = 0.99,
                                        .byte_fallback = true},
                                       lines_of(sentences()));
    Random random(11);
    for (int i = 0; i < 500; ++i) {
      const std::string line = random_line(random, 5);
      const std::vector<int32_t> ids = encoded(*model, line);
      ASSERT_EQ(model->decode(ids), line);
      for (const int32_t id : ids) ASSERT_GT(id, kUnkId);
    }
  }
}

TEST(SentencePiece, UnknownCharactersAndSpecialIdsDecodeLegibly) {
  const auto model = learn_tokenizer("bpe", {.size = 80}, lines_of(sentences()));
  std::vector<int32_t> ids = {kBosId};
  model->encode("the 世 goose", ids);
  ids.push_back(kEosId);
  EXPECT_THAT(model->decode(ids), HasSubstr("the"));
  EXPECT_THAT(model->decode(ids), HasSubstr("\u2047"));
  EXPECT_THROW(model->decode(std::vector<int32_t>{80}), Error);
}

TEST(SentencePiece, TextThatSpellsASpecialTokenStaysText) {
  const auto model =
      learn_tokenizer("bpe", {.size = 320, .byte_fallback = true}, lines_of(sentences()));
  for (const int32_t id : encoded(*model, "</s><s><unk>")) EXPECT_GT(id, kUnkId);
  EXPECT_EQ(model->decode(encoded(*model, "</s><s><unk>")), "</s><s><unk>");
}

TEST(SentencePiece, ASizeThatDoesNotFitTheTextIsAnsweredWithOneThatDoes) {
  for (const std::string type : {"unigram", "bpe"}) {
    EXPECT_THAT(
        error_of<UsageError>([&] { learn_tokenizer(type, {.size = 9000}, lines_of(sentences())); }),
        testing::MatchesRegex(
            "the text supports a vocabulary of [0-9]+ pieces at most, 9000 were asked for; "
            "choose a size of [0-9]+ or less, or give more text"));
    EXPECT_THAT(
        error_of<UsageError>([&] { learn_tokenizer(type, {.size = 10}, lines_of(sentences())); }),
        testing::MatchesRegex(
            "the characters of the text alone take a vocabulary of [0-9]+ pieces, 10 were "
            "asked for; choose a size above [0-9]+, or a character coverage below 1"));
    EXPECT_EQ(error_of<FormatError>([&] {
                learn_tokenizer(type, {.size = 100}, lines_of({"", "  ", "\u2585"}));
              }),
              "the text is empty; give text to learn the vocabulary from");
  }
}

TEST(SentencePiece, OddTextIsLearnedFrom) {
  std::vector<std::string> lines = sentences();
  lines.push_back(std::string("a\0b", 3));
  lines.push_back("tab\tand\rreturn");
  lines.push_back("reserved \u2585 and space \u2581 marks, noncharacter \uFFFE");
  lines.push_back(std::string(20000, 'x'));
  for (const std::string type : {"unigram", "bpe"}) {
    const auto model = learn_tokenizer(type, {.size = 90}, lines_of(lines));
    EXPECT_EQ(model->vocabulary().size(), 90);
    EXPECT_EQ(model->decode(encoded(*model, "and return")), "and return");
  }
}

TEST(SentencePiece, ADamagedFileIsRefused) {
  const std::string content =
      learn_tokenizer("bpe", {.size = 80}, lines_of(sentences()))->serialize();
  for (const size_t length :
       {size_t{0}, size_t{1}, size_t{40}, content.size() / 2, content.size() - 1}) {
    EXPECT_THAT(error_of<FormatError>([&] {
                  SentencePieceTokenizer::load(content.substr(0, length), "vocab.model");
                }),
                testing::StartsWith("vocab.model: "))
        << length;
  }
  EXPECT_THROW(SentencePieceTokenizer::load("hello, world\n", "notes.txt"), FormatError);
}

// Sampling. The expected values are the definition: all splits of a short word, by hand.

TEST(SentencePieceSampling, DropoutZeroIsTheBestSplitAndOneIsCharacters) {
  const auto model = learn_tokenizer("bpe", {.size = 120}, lines_of(sentences()));
  Random random(2);
  for (const std::string& line : sentences()) {
    const std::vector<int32_t> best = encoded(*model, line);
    ASSERT_EQ(model->resample(best, 0.0, random), best) << line;
    const std::vector<int32_t> ids = model->resample(best, 1.0, random);
    size_t characters = 1;  // the space before the line
    for ([[maybe_unused]] const std::string_view character : Characters(line)) ++characters;
    ASSERT_EQ(ids.size(), characters);
    ASSERT_EQ(model->decode(ids), line);
  }
}

TEST(SentencePieceSampling, ALargeExponentFindsTheBestSplitAndASmallOneMany) {
  const auto model = learn_tokenizer("unigram", {.size = 70}, lines_of(sentences()));
  Random random(2);
  const std::vector<int32_t> best = encoded(*model, "the goose flies over the lake");
  std::set<std::vector<int32_t>> splits;
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(model->resample(best, 1000.0, random), best);
    const std::vector<int32_t> ids = model->resample(best, 0.1, random);
    ASSERT_EQ(model->decode(ids), "the goose flies over the lake");
    splits.insert(ids);
  }
  EXPECT_GT(splits.size(), 5U);
}

TEST(SplitSampler, SplitsComeAsOftenAsTheirProbabilitySays) {
  Vocabulary vocabulary;
  for (const char* piece : {"a", "b", "ab"}) vocabulary.add(piece);
  // P(a) P(b) = 0.5 * 0.4, P(ab) = 0.1; with exponent 0.5 the odds are sqrt(0.2) : sqrt(0.1), so
  // "ab" stays whole with probability 1 / (1 + sqrt(2)) = 0.4142.
  const SplitSampler sampler(vocabulary,
                             {0, 0, 0, 0, std::log(0.5F), std::log(0.4F), std::log(0.1F)},
                             {false, false, false, false, true, true, true});
  Random random(1);
  int whole = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<int32_t> ids;
    sampler.sample_unigram("ab", 0.5, random, ids);
    if (ids.size() == 1) ++whole;
  }
  EXPECT_NEAR(whole / 20000.0, 0.4142, 0.014) << "four standard deviations";
}

// Models and expected pieces of SentencePiece 0.1.97.

std::vector<std::string> gzipped_lines(const std::filesystem::path& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  std::string content;
  std::vector<char> buffer(1 << 16);
  for (int read = 0;
       (read = gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()))) > 0;) {
    content.append(buffer.data(), static_cast<size_t>(read));
  }
  gzclose(file);
  std::vector<std::string> lines;
  std::istringstream stream(content);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> plain_lines(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class SentencePieceReference : public testing::Test {
 protected:
  void SetUp() override {
    if (!shared_available()) GTEST_SKIP() << "../shared/" << kFolder << " is not there";
  }

  // Both models have <unk> <s> </s> at 0, 1, 2 and no <pad>: 0 becomes 3, and every piece moves up
  // by one.
  static void expect_ids(const std::string& model_name, const std::string& text,
                         const std::string& expected) {
    const auto model = load_tokenizer(shared_path(kFolder) / model_name);
    const std::vector<std::string> lines = plain_lines(shared_path(kFolder) / text);
    const std::vector<std::string> expected_lines = gzipped_lines(shared_path(kFolder) / expected);
    ASSERT_EQ(lines.size(), expected_lines.size());
    for (size_t i = 0; i < lines.size(); ++i) {
      std::vector<int32_t> ids;
      std::istringstream numbers(expected_lines[i]);
      for (int32_t id = 0; numbers >> id;) ids.push_back(id == 0 ? kUnkId : id + 1);
      ASSERT_EQ(encoded(*model, lines[i]), ids) << "line " << i + 1;
    }
  }

  static constexpr const char* kFolder = "data/sentencepiece";
};

TEST_F(SentencePieceReference, TheEnglishModelGivesTheSameIds) {
  expect_ids("test_model.model", "botchan.txt", "expected.test_model.botchan.ids.gz");
}

TEST_F(SentencePieceReference, TheJapaneseModelGivesTheSameIds) {
  expect_ids("test_ja_model.model", "wagahaiwa.head400.txt",
             "expected.test_ja_model.wagahaiwa400.ids.gz");
}

TEST_F(SentencePieceReference, TheEnglishModelGivesTheSamePieces) {
  const auto model = load_tokenizer(shared_path(kFolder) / "test_model.model");
  const std::vector<std::string> lines = plain_lines(shared_path(kFolder) / "botchan.txt");
  const std::vector<std::string> expected =
      gzipped_lines(shared_path(kFolder) / "expected.test_model.botchan.pieces.gz");
  ASSERT_EQ(lines.size(), expected.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string pieces;
    for (const std::string& piece : model->pieces(lines[i]))
      (pieces += pieces.empty() ? "" : " ") += piece;
    ASSERT_EQ(pieces, expected[i].substr(0, expected[i].find_last_not_of(' ') + 1))
        << "line " << i + 1;
  }
}

}  // namespace
}  // namespace skein
