// Vocabularies and data sets by several ranks, as threads: those of one process, to the bit.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "comm/thread_network.h"
#include "skein/base/files.h"
#include "skein/base/parallel.h"
#include "skein/base/random.h"
#include "skein/comm/single_process.h"
#include "skein/data/learn_vocabulary.h"
#include "skein/data/prepare.h"
#include "temporary_folder.h"

namespace skein {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr int kSizes[] = {1, 2, 3, 4};

// Words of a few syllables, some of them far more often than others.
std::string random_line(Random& random) {
  constexpr const char* kSyllables[] = {"ka", "lo", "mi", "ne", "ru", "\u00e4", "\u00f6s"};
  std::string line;
  for (uint64_t words = random.below(12); words > 0; --words) {
    for (uint64_t syllables = random.below(1 + random.below(5)) + 1; syllables > 0; --syllables) {
      line += kSyllables[random.below(std::size(kSyllables))];
    }
    line += ' ';
  }
  return line + '\n';
}

class SharedCorpus : public testing::Test {
 protected:
  // Several megabytes, so that there are several rounds of parts, the last of which is cut short.
  SharedCorpus() {
    Random random(1);
    std::string en, de;
    for (int i = 0; i < 90'000; ++i) {
      en += random_line(random);
      de += random_line(random);
    }
    folder_.file("t.en", en);
    folder_.file("t.de", de);
    text_ = {.corpora = {folder_.path() / "t.en", folder_.path() / "t.de"},
             .options = {.target_language = "x"}};
  }

  std::string learn(Communicator& communicator, const std::string& type,
                    const LearnOptions& options) const {
    const LearnedVocabulary learned = learn_vocabulary(type, options, text_, communicator);
    EXPECT_EQ(learned.tokenizer != nullptr, communicator.rank() == 0);
    return learned.tokenizer ? learned.tokenizer->serialize() : "";
  }

  void expect_that_of_one_process(const std::string& type, const LearnOptions& options) const {
    set_threads(1);  // SentencePiece's models name it
    SingleProcess alone;
    const std::string expected = learn(alone, type, options);
    for (const int size : kSizes) {
      std::string found;
      run_ranks(size, [&](Communicator& communicator) {
        set_threads(1);
        const std::string mine = learn(communicator, type, options);
        if (communicator.rank() == 0) found = mine;
      });
      EXPECT_EQ(found, expected) << type << " by " << size << " ranks";
    }
  }

  PrepareOptions preparation(const std::string& output) const {
    const fs::path path = folder_.path();
    return {.corpus = {.source_language = "en", .target_language = "de"},
            .train = {path / "t"},
            .valid = {path / "t"},
            .vocabulary = path / "v",
            .output = path / output,
            .drop_duplicates = true,
            .keep_text = true};
  }

  void make_vocabulary() const {
    SingleProcess alone;
    write_file(folder_.path() / "v", learn(alone, "char", {.size = 100}));
  }

  std::vector<std::string> errors(int size, const std::function<void(Communicator&)>& body) const {
    ThreadNetwork network(size);
    return run_ranks(network, 60, body);
  }

  TemporaryFolder folder_;
  VocabularyText text_;
};

TEST_F(SharedCorpus, VocabulariesAreThoseOfOneProcess) {
  expect_that_of_one_process("word", {.size = 200});
  expect_that_of_one_process("char", {.size = 20});
  expect_that_of_one_process("codes", {.size = 60, .minimum_count = 3});
}

// With a sample much smaller than the text.
TEST_F(SharedCorpus, SamplesAreThoseOfOneProcess) {
  expect_that_of_one_process("bpe", {.size = 100, .sample_bytes = 50'000, .seed = 3});
  expect_that_of_one_process("unigram", {.size = 60, .sample_bytes = 50'000});
}

TEST_F(SharedCorpus, SoTheyAreWhereOneProcessForgetsTheRarestWords) {
  expect_that_of_one_process("word", {.size = 200, .max_counted = 500});
}

TEST_F(SharedCorpus, DataSetsAreThoseOfOneProcess) {
  make_vocabulary();
  const std::vector<SplitReport> expected = prepare(preparation("one"));
  for (const int size : kSizes) {
    const std::string output = fmt::format("by{}", size);
    std::vector<SplitReport> reports;
    run_ranks(size, [&](Communicator& communicator) {
      set_threads(2);
      const auto mine = prepare(preparation(output), communicator);
      if (communicator.rank() == 0) reports = mine;
    });
    ASSERT_EQ(reports.size(), expected.size());
    for (size_t i = 0; i < reports.size(); ++i) {
      EXPECT_EQ(describe(reports[i]), describe(expected[i]));
    }
    for (const auto& each : fs::directory_iterator(folder_.path() / "one")) {
      const fs::path name = each.path().filename();
      EXPECT_EQ(read_file(folder_.path() / output / name), read_file(each.path())) << name;
    }
  }
}

TEST_F(SharedCorpus, ABadRecordEndsAllRanksAndRankZeroTells) {
  make_vocabulary();
  folder_.file("t.de", read_file(folder_.path() / "t.de").substr(0, 2'000'000) + "\xff\n");
  SingleProcess alone;
  std::string expected;
  try {
    prepare(preparation("one"), alone);
  } catch (const Error& error) {
    expected = error.what();
  }
  const auto found =
      errors(3, [&](Communicator& communicator) { prepare(preparation("three"), communicator); });
  for (const std::string& each : found) EXPECT_EQ(each, expected);
  EXPECT_FALSE(fs::exists(folder_.path() / "three"));
  const auto learning =
      errors(2, [&](Communicator& communicator) { learn(communicator, "word", {.size = 10}); });
  EXPECT_THAT(learning[0], HasSubstr("t.de:"));
}

TEST_F(SharedCorpus, TextThatIsNotOnAllMachinesIsTold) {
  make_vocabulary();
  const auto found = errors(2, [&](Communicator& communicator) {
    PrepareOptions options = preparation("two");
    if (communicator.rank() == 1) options.train = {folder_.path() / "other"};
    prepare(options, communicator);
  });
  EXPECT_THAT(found[1], AllOf(HasSubstr("rank 1 on "), HasSubstr("other")));
}

TEST_F(SharedCorpus, OtherTextOnAMachineIsTold) {
  make_vocabulary();
  folder_.file("longer.en", read_file(folder_.path() / "t.en") + "ka\n");
  folder_.file("longer.de", read_file(folder_.path() / "t.de") + "lo\n");
  const auto found = errors(2, [&](Communicator& communicator) {
    PrepareOptions options = preparation("two");
    if (communicator.rank() == 1) options.train = {folder_.path() / "longer"};
    prepare(options, communicator);
  });
  EXPECT_THAT(found[0], AllOf(HasSubstr("the ranks are not alike: on rank 1 on "),
                              HasSubstr("the text of the train split up to here is ")));
  VocabularyText longer = text_;
  longer.corpora[1] = folder_.path() / "longer.de";
  const auto learning = errors(2, [&](Communicator& communicator) {
    learn_vocabulary("word", {.size = 10}, communicator.rank() == 1 ? longer : text_, communicator);
  });
  EXPECT_THAT(learning[0], HasSubstr("the text of --input up to here is "));
}

TEST_F(SharedCorpus, AVocabularyOfAnotherSizeOnAMachineIsTold) {
  const auto found = errors(2, [&](Communicator& communicator) {
    learn(communicator, "word", {.size = communicator.rank() == 1 ? 20 : 10});
  });
  EXPECT_THAT(found[0], HasSubstr("--size is 20 instead of 10"));
}

TEST_F(SharedCorpus, AnErrorOfRankZeroEndsAll) {
  const auto found = errors(3, [&](Communicator& communicator) {
    learn(communicator, "bpe", {.size = 9'000'000, .sample_bytes = 20'000});
  });
  EXPECT_THAT(found[0], HasSubstr("the text supports a vocabulary of "));
  for (const std::string& each : found) EXPECT_THAT(each, HasSubstr(found[0]));
}

}  // namespace
}  // namespace skein
