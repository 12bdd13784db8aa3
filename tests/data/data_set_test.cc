#include "skein/data/data_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skein/base/error.h"
#include "skein/base/random.h"
#include "skein/data/data_set_writer.h"
#include "temporary_folder.h"

namespace skein {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using Tokens = std::vector<int32_t>;

void write_small_set(const fs::path& path) {
  DataSetWriter writer(path, {.source = 100, .target = 50});
  writer.add(Tokens{5, 99}, Tokens{7});
  writer.add(Tokens{}, Tokens{49, 0, 3});
  writer.close();
}

Tokens source_of(const DataSet& data, int64_t sample) {
  Tokens tokens;
  data.append_source(sample, tokens);
  return tokens;
}

Tokens target_of(const DataSet& data, int64_t sample) {
  Tokens tokens;
  data.append_target(sample, tokens);
  return tokens;
}

TEST(DataSet, GivesBackWhatWasWritten) {
  const TemporaryFolder folder;
  write_small_set(folder.path() / "train.skd");
  const DataSet data(folder.path() / "train.skd");
  data.verify();
  EXPECT_FALSE(data.monolingual());
  EXPECT_EQ(data.size(), 2);
  EXPECT_EQ(data.source_tokens(), 2);
  EXPECT_EQ(data.target_tokens(), 4);
  EXPECT_EQ(data.source_vocabulary_size(), 100);
  EXPECT_EQ(data.target_vocabulary_size(), 50);
  EXPECT_THAT(source_of(data, 0), ElementsAre(5, 99));
  EXPECT_THAT(target_of(data, 0), ElementsAre(7));
  EXPECT_EQ(data.source_length(1), 0);
  EXPECT_THAT(target_of(data, 1), ElementsAre(49, 0, 3));
}

TEST(DataSet, HoldsOneSideForALanguageModel) {
  const TemporaryFolder folder;
  DataSetWriter writer(folder.path() / "train.skd", {.target = 10});
  writer.add({}, Tokens{1, 2});
  writer.add({}, Tokens{3});
  writer.close();
  const DataSet data(folder.path() / "train.skd");
  EXPECT_TRUE(data.monolingual());
  EXPECT_EQ(data.size(), 2);
  EXPECT_EQ(data.source_length(1), 0);
  EXPECT_THAT(source_of(data, 1), ElementsAre());
  EXPECT_THAT(target_of(data, 1), ElementsAre(3));
}

TEST(DataSet, KeepsIdsOfLargeVocabularies) {
  const TemporaryFolder folder;
  DataSetWriter writer(folder.path() / "train.skd", {.source = 65536, .target = 300000});
  writer.add(Tokens{65535}, Tokens{299999, 65536});
  writer.close();
  const DataSet data(folder.path() / "train.skd");
  EXPECT_THAT(source_of(data, 0), ElementsAre(65535));
  EXPECT_THAT(target_of(data, 0), ElementsAre(299999, 65536));
}

TEST(DataSet, StoresSmallVocabulariesInTwoBytesATokenAsTheFormatSays) {
  const TemporaryFolder folder;
  write_small_set(folder.path() / "a.skd");
  // docs/formats.md: header 128, 6 tokens of 2 bytes, 4 of padding, 5 offsets of 8 bytes.
  EXPECT_EQ(fs::file_size(folder.path() / "a.skd"), 128u + 12 + 4 + 40);
}

TEST(DataSet, RandomSamplesComeBackUnchanged) {
  const TemporaryFolder folder;
  Random random(3);
  std::vector<std::pair<Tokens, Tokens>> samples(500);
  DataSetWriter writer(folder.path() / "train.skd", {.source = 70000, .target = 70000});
  for (auto& [source, target] : samples) {
    source.resize(random.below(40));
    target.resize(random.below(40));
    for (int32_t& token : source) token = static_cast<int32_t>(random.below(70000));
    for (int32_t& token : target) token = static_cast<int32_t>(random.below(70000));
    writer.add(source, target);
  }
  writer.close();
  const DataSet data(folder.path() / "train.skd");
  data.verify();
  ASSERT_EQ(data.size(), 500);
  for (int64_t i = 0; i < data.size(); ++i) {
    EXPECT_EQ(source_of(data, i), samples[static_cast<size_t>(i)].first);
    EXPECT_EQ(target_of(data, i), samples[static_cast<size_t>(i)].second);
    EXPECT_EQ(data.source_length(i), std::ssize(source_of(data, i)));
    EXPECT_EQ(data.target_length(i), std::ssize(target_of(data, i)));
  }
}

TEST(DataSet, AnyAlteredByteIsFound) {
  const TemporaryFolder folder;
  write_small_set(folder.path() / "good.skd");
  const std::string good = read_file(folder.path() / "good.skd");
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 0x10;
    const fs::path path = folder.file("bad.skd", bad);
    EXPECT_THROW(DataSet(path).verify(), FormatError) << "byte " << i;
  }
}

TEST(DataSet, AFileCutAtAnyLengthIsRefusedOnOpening) {
  const TemporaryFolder folder;
  write_small_set(folder.path() / "good.skd");
  const std::string good = read_file(folder.path() / "good.skd");
  for (size_t length = 0; length < good.size(); ++length) {
    const fs::path path = folder.file("bad.skd", good.substr(0, length));
    EXPECT_THROW(DataSet{path}, FormatError) << length;
  }
  EXPECT_THROW(DataSet{folder.file("bad.skd", good + "x")}, FormatError);
}

TEST(DataSet, AnIdBeyondTheVocabularyIsRefusedWhenItIsRead) {
  const TemporaryFolder folder;
  write_small_set(folder.path() / "good.skd");
  std::string bytes = read_file(folder.path() / "good.skd");
  bytes[128] = 100;  // the first source id; the vocabulary is 0..99
  const DataSet data(folder.file("bad.skd", bytes));
  Tokens tokens;
  try {
    data.append_source(0, tokens);
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_THAT(error.what(), HasSubstr("bad.skd: token 0 is 100, the vocabulary ends at 100"));
  }
}

TEST(DataSetWriter, LeavesNothingBehindWhenItIsNotClosed) {
  const TemporaryFolder folder;
  {
    DataSetWriter writer(folder.path() / "train.skd", {.source = 10, .target = 10});
    writer.add(Tokens{1}, Tokens{2});
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
  write_small_set(folder.path() / "train.skd");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

}  // namespace
}  // namespace skein
