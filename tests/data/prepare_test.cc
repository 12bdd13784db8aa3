#include "skein/data/prepare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compressed.h"
#include "shared_data.h"
#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/base/random.h"
#include "skein/data/data_folder.h"
#include "skein/data/data_set.h"
#include "skein/text/tokenizers.h"
#include "temporary_folder.h"

namespace skein {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class Prepare : public testing::Test {
 protected:
  Prepare() {
    learn_words("vocab.model", {"a b c d e f", "A B C D E F"});
    folder_.file("valid.en", "a b\n");
    folder_.file("valid.de", "A B\n");
    options_.corpus = {.source_language = "en", .target_language = "de"};
    options_.train = {folder_.path() / "train"};
    options_.valid = {folder_.path() / "valid"};
    options_.vocabulary = folder_.path() / "vocab.model";
    options_.output = folder_.path() / "data";
  }

  void learn_words(const std::string& name, std::vector<std::string> lines) {
    size_t next = 0;
    const LineSource source = [&](std::string& line) {
      if (next == lines.size()) return false;
      line = lines[next++];
      return true;
    };
    learn_tokenizer("word", {.size = 100}, source)->save(folder_.path() / name);
  }

  void write_train(std::string_view source, std::string_view target) {
    folder_.file("train.en", source);
    folder_.file("train.de", target);
  }

  // The samples of a split as text, "source | target".
  std::vector<std::string> samples_of(std::string_view split) const {
    const auto tokenizer = load_tokenizer(options_.output / "vocab.model");
    const DataSet data(data_set_path(options_.output, split));
    data.verify();
    std::vector<std::string> samples;
    for (int64_t i = 0; i < data.size(); ++i) {
      std::vector<int32_t> source;
      std::vector<int32_t> target;
      data.append_source(i, source);
      data.append_target(i, target);
      samples.push_back(tokenizer->decode(source) + " | " + tokenizer->decode(target));
    }
    return samples;
  }

  template <typename Exception>
  std::string error() const {
    try {
      prepare(options_);
    } catch (const Exception& error) {
      return error.what();
    }
    return "nothing was thrown";
  }

  TemporaryFolder folder_;
  PrepareOptions options_;
};

TEST_F(Prepare, TurnsAlignedTextIntoSamplesInItsOrder) {
  write_train("a b c\nd e\n", "A\nD E F\n");
  const std::vector<SplitReport> reports = prepare(options_);
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(describe(reports[0]),
            "train: 2 read, 2 kept (5 source and 4 target tokens, 0.00 % unknown)");
  EXPECT_THAT(samples_of("train"), ElementsAre("a b c | A", "d e | D E F"));
  EXPECT_THAT(samples_of("valid"), ElementsAre("a b | A B"));
  const DataFolderInfo info = read_data_folder(options_.output);
  EXPECT_EQ(info.source_language, "en");
  EXPECT_EQ(info.target_vocabulary, "vocab.model");
  EXPECT_EQ(info.train.samples, 2);
  EXPECT_EQ(info.train.source_tokens, 5);
}

TEST_F(Prepare, KeepsTheRawReferencesOfValidationAndTheSourceOnDemand) {
  write_train("a\n", "A\n");
  folder_.file("valid.de", "A  unknown, B\r\n");
  prepare(options_);
  EXPECT_EQ(read_file(options_.output / "valid.target.txt"), "A  unknown, B\n");
  EXPECT_FALSE(fs::exists(options_.output / "valid.source.txt"));
  EXPECT_FALSE(fs::exists(options_.output / "train.target.txt"));
  options_.keep_text = true;
  prepare(options_);
  EXPECT_EQ(read_file(options_.output / "valid.source.txt"), "a b\n");
}

TEST_F(Prepare, CountsEveryPairThatItLeavesOutByItsCause) {
  write_train("a\n\nb\nc d e f\na a a\na\nc\n", "A\nB\n \nC\nA\nA\nc\n");
  options_.max_length = 3;
  options_.max_ratio = 2;
  options_.drop_identical = true;
  options_.drop_duplicates = true;
  const SplitReport report = prepare(options_)[0];
  EXPECT_EQ(report.read, 7);
  EXPECT_EQ(report.kept, 1);
  EXPECT_THAT(
      report.left_out,
      ElementsAre(std::pair("with an empty side", 2), std::pair("with source equal to target", 1),
                  std::pair("duplicates", 1), std::pair("longer than 3 tokens", 1),
                  std::pair("with one side more than 2 times longer", 1)));
  EXPECT_THAT(samples_of("train"), ElementsAre("a | A"));
}

TEST_F(Prepare, KeepsLongPairsOfTheSplitsThatAreMeasured) {
  write_train("a\n", "A\n");
  options_.max_length = 1;
  prepare(options_);
  EXPECT_THAT(samples_of("valid"), ElementsAre("a b | A B"));
}

TEST_F(Prepare, StopsAtALineThatIsNotUtf8OrCountsItAndGoesOn) {
  write_train("a\nb\xff\nc\n", "A\nB\nC\n");
  EXPECT_THAT(error<FormatError>(), HasSubstr("train.en:2: byte 2 is not UTF-8"));
  EXPECT_FALSE(fs::exists(options_.output));
  options_.on_error = OnError::kSkip;
  const SplitReport report = prepare(options_)[0];
  EXPECT_EQ(report.read, 3);
  EXPECT_THAT(report.left_out, ElementsAre(std::pair("bad records", 1)));
  EXPECT_THAT(samples_of("train"), ElementsAre("a | A", "c | C"));
}

TEST_F(Prepare, RefusesSidesOfDifferentLengthWithTheCountsAlsoWhenItSkips) {
  write_train("a\nb\nc\n", "A\nB\n");
  options_.on_error = OnError::kSkip;
  EXPECT_THAT(error<FormatError>(), HasSubstr("train.en has 3 lines, but "));
  EXPECT_THAT(error<FormatError>(), HasSubstr("train.de has 2; line i of one"));
  EXPECT_FALSE(fs::exists(options_.output));
}

TEST_F(Prepare, RefusesAnEmptyCorpusAndOneOfWhichNothingCanBeUsed) {
  write_train("", "");
  EXPECT_THAT(error<FormatError>(), HasSubstr("train: empty; the train split needs text"));
  write_train("a\n\n", "\nB\n");
  EXPECT_THAT(
      error<FormatError>(),
      HasSubstr("nothing can be used; train: 2 read, 0 kept; left out: 2 with an empty side"));
}

TEST_F(Prepare, ReadsSeveralCorporaOfSeveralFormatsInTheOrderGiven) {
  write_train("a\n", "A\n");
  folder_.file("more.tsv.gz", gzip_compressed("b\tB\n"));
  folder_.file("last.po", "msgid \"c\"\nmsgstr \"C\"\nmsgid \"d\"\nmsgstr \"\"\n");
  options_.train = {folder_.path() / "last.po", folder_.path() / "train",
                    folder_.path() / "more.tsv.gz"};
  const SplitReport report = prepare(options_)[0];
  EXPECT_THAT(samples_of("train"), ElementsAre("c | C", "a | A", "b | B"));
  EXPECT_THAT(report.left_out, ElementsAre(std::pair("untranslated", 1)));
}

TEST_F(Prepare, UsesAVocabularyASide) {
  learn_words("german.model", {"A B C"});
  write_train("a\n", "A F\n");
  options_.target_vocabulary = folder_.path() / "german.model";
  const SplitReport report = prepare(options_)[0];
  EXPECT_EQ(report.unknown_tokens, 1);
  EXPECT_TRUE(fs::exists(options_.output / "source.vocab.model"));
  EXPECT_TRUE(fs::exists(options_.output / "target.vocab.model"));
  EXPECT_EQ(DataSet(options_.output / "train.skd").target_vocabulary_size(), 4 + 3);
}

TEST_F(Prepare, MakesEveryLineASampleOfALanguageModel) {
  options_.corpus = {.target_language = "en"};
  folder_.file("train.en", "a b\n\nc\n");
  const SplitReport report = prepare(options_)[0];
  EXPECT_EQ(describe(report),
            "train: 3 read, 2 kept (3 tokens, 0.00 % unknown); left out: 1 empty");
  EXPECT_TRUE(DataSet(options_.output / "train.skd").monolingual());
  EXPECT_TRUE(read_data_folder(options_.output).monolingual());
  EXPECT_THAT(samples_of("train"), ElementsAre(" | a b", " | c"));
}

TEST_F(Prepare, GivesTheSameFilesWhateverTheNumberOfThreads) {
  Random random(6);
  std::string source;
  std::string target;
  for (int i = 0; i < 30000; ++i) {
    for (std::string* side : {&source, &target}) {
      for (uint64_t words = random.below(12); words > 0; --words) {
        *side += static_cast<char>((side == &source ? 'a' : 'A') + random.below(7));
        *side += ' ';
      }
      *side += random.below(50) == 0 ? "\xff\n" : "\n";
    }
  }
  write_train(source, target);
  options_.on_error = OnError::kSkip;
  options_.drop_duplicates = true;
  options_.max_ratio = 3;
  const int threads_before = threads();
  std::string expected;
  for (const int count : {1, 2, 7}) {
    set_threads(count);
    prepare(options_);
    std::string content;
    for (const char* name :
         {"train.skd", "valid.skd", "valid.target.txt", "dataset.toml", "vocab.model"}) {
      content += read_file(options_.output / name);
    }
    if (expected.empty()) expected = content;
    EXPECT_TRUE(content == expected) << count << " threads";
  }
  set_threads(threads_before);
}

TEST_F(Prepare, ReplacesPreparedDataButNothingElse) {
  write_train("a\n", "A\n");
  prepare(options_);
  write_train("b\n", "B\n");
  prepare(options_);
  EXPECT_THAT(samples_of("train"), ElementsAre("b | B"));
  write_file(options_.output / "thesis.tex", "years of work");
  EXPECT_THAT(error<UsageError>(),
              HasSubstr("holds thesis.tex, which is not prepared data and would be lost"));
  EXPECT_EQ(read_file(options_.output / "thesis.tex"), "years of work");
}

TEST_F(Prepare, SaysWhichOptionsContradictEachOther) {
  options_.max_ratio = 0.5;
  EXPECT_THAT(error<UsageError>(),
              HasSubstr("--max-ratio is 0.5; it must be at least 1, or 0 for any"));
  options_.max_ratio = 0;
  options_.corpus.target_language = "en";
  EXPECT_THAT(error<UsageError>(), HasSubstr("source and target are both 'en'"));
}

TEST_F(Prepare, ReadsMulti30kWhole) {
  if (!shared_available()) GTEST_SKIP() << "no shared/ beside the checkout";
  options_.train = {shared_path("data/multi30k/train")};
  options_.valid = {shared_path("data/multi30k/val")};
  options_.test = {shared_path("data/multi30k/test_2016_flickr")};
  const std::vector<SplitReport> reports = prepare(options_);
  // Multi30k's README: 29000, 1014 and 1000 pairs.
  ASSERT_EQ(reports.size(), 3u);
  EXPECT_EQ(reports[0].kept, 29000);
  EXPECT_EQ(reports[1].kept, 1014);
  EXPECT_EQ(reports[2].kept, 1000);
}

TEST(DataFolder, SaysThatAFolderIsNoPreparedData) {
  const TemporaryFolder folder;
  try {
    read_data_folder(folder.path());
    FAIL();
  } catch (const FileError& error) {
    EXPECT_THAT(
        error.what(),
        HasSubstr("is no prepared data (it holds no dataset.toml); make it with skein prepare"));
  }
}

}  // namespace
}  // namespace skein
