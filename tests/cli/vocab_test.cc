#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/shell.h"

namespace skein {
namespace {

using testing::HasSubstr;

class VocabCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(testing::TempDir()) /
        (std::string("vocab_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    std::ofstream english(folder_ / "train.en");
    std::ofstream german(folder_ / "train.de");
    for (int i = 0; i < 50; ++i) {
      english << "the goose number " << i << " flies south\n";
      german << "die Gans Nummer " << i << " fliegt nach Süden\n";
    }
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  ShellResult run(const std::string& line) const { return run_shell(line, folder_); }

  // The command fails with `exit_code` and one sentence.
  void expect_sentence(const std::string& arguments, int exit_code,
                       const std::string& sentence) const {
    const ShellResult result = run("skein vocab " + arguments);
    EXPECT_EQ(result.exit_code, exit_code) << arguments;
    EXPECT_EQ(result.error, "skein: " + sentence + "\n") << arguments;
    EXPECT_EQ(result.out, "");
  }

  std::filesystem::path folder_;
};

TEST_F(VocabCommand, LearnsEachType) {
  for (const std::string type : {"bpe", "unigram", "word", "char", "codes"}) {
    const ShellResult result = run("skein vocab --input train.en train.de --type " + type +
                                   " --size 44 --output vocab.model");
    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_THAT(result.error, testing::MatchesRegex("vocab.model: " + type +
                                                    ", [0-9]+ pieces, from 100 lines\n"));
    EXPECT_TRUE(std::filesystem::remove(folder_ / "vocab.model"));
  }
}

TEST_F(VocabCommand, ReadsBothSidesOfACorpusAndCompressedText) {
  run("gzip train.de");
  const ShellResult result =
      run("skein vocab --input train --source en --target de --type word --output vocab.model; "
          "head -n 1 vocab.model; grep -c Gans vocab.model");
  EXPECT_THAT(result.out, testing::Eq("#skein-vocabulary 1 word\n1\n"));
}

TEST_F(VocabCommand, TheSameTextGivesTheSameFile) {
  EXPECT_EQ(
      run("skein vocab --input train.en --size 60 --sample-bytes 1200 --output a --type bpe && "
          "skein vocab --input train.en --size 60 --sample-bytes 1200 --output b --type bpe && cmp "
          "a b")
          .exit_code,
      0);
}

TEST_F(VocabCommand, LinesThatAreNotUtf8StopOrAreCounted) {
  run("printf 'good\\nbad \\xff\\ngood\\n' > mixed");
  expect_sentence("--input mixed --type word --output v", 1,
                  "mixed:2: byte 5 is not UTF-8; convert the file (iconv -t UTF-8) or leave such "
                  "lines out with "
                  "--on-error skip");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "v"));
  const ShellResult skipping =
      run("skein vocab --input mixed --type word --output v --on-error skip");
  EXPECT_EQ(skipping.exit_code, 0);
  EXPECT_THAT(skipping.error, HasSubstr("warning: 1 bad lines were left out\n"));
}

TEST_F(VocabCommand, BadInputGetsOneSentence) {
  expect_sentence("--input none --output v", 1,
                  "cannot read none: No such file or directory; check the name");
  expect_sentence("--input . --output v", 1, ". is a folder; name the files of text in it");
  expect_sentence(
      "--input train.en --output v --type bep", 2,
      "there is no tokenizer 'bep'; did you mean 'bpe'? (known: bpe char codes unigram word)");
  expect_sentence("--input train.en --output v --on-error ignore", 2,
                  "--on-error 'ignore' is unknown; expected stop or skip");
  expect_sentence("--input train.en --output v --source en", 2,
                  "--source and --target belong together; give both, or neither for plain text");
  expect_sentence("--input train.en --output v --codes c", 2,
                  "--codes is for --type codes, but the type is bpe");
  for (const std::string type : {"bpe", "unigram", "word", "char", "codes"}) {
    expect_sentence("--input /dev/null --output v --type " + type, 1,
                    "the text is empty; give text to learn the vocabulary from");
  }
  expect_sentence("--input train.en --output .", 2,
                  "--output . is a folder; name a file, such as vocab.model");
  expect_sentence("--input train.en --output v --character-coverage 0.5", 2,
                  "the character coverage is 0.5, expected 0.98 to 1");
}

TEST_F(VocabCommand, ASizeThatDoesNotFitIsAnsweredWithOneThatDoes) {
  const ShellResult large = run("skein vocab --input train.en --output v --size 100000");
  EXPECT_EQ(large.exit_code, 2);
  EXPECT_THAT(large.error, testing::MatchesRegex(
                               "skein: the text supports a vocabulary of [0-9]+ pieces at most, "
                               "100000 were asked for; choose a size of [0-9]+ or less, or give "
                               "more text\n"));
}

}  // namespace
}  // namespace skein
