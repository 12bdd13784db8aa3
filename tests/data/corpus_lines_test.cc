#include "skein/data/corpus_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "skein/base/error.h"
#include "skein/base/files.h"

namespace skein {
namespace {

using testing::ElementsAre;

class CorpusLinesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("corpus_lines_") +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(const std::string& name, std::string_view content) const {
    write_file(folder_ / name, content);
    return folder_ / name;
  }

  static std::vector<std::string> all(CorpusLines& lines) {
    std::vector<std::string> result;
    for (std::string line; lines.next(line);) result.push_back(line);
    return result;
  }

  std::filesystem::path folder_;
};

TEST_F(CorpusLinesTest, SeveralFilesFollowOneAnother) {
  CorpusLines lines({file("a", "one\ntwo\n"), file("b", ""), file("c", "three")}, {},
                    BadRecords::kRefuse);
  EXPECT_THAT(all(lines), ElementsAre("one", "two", "three"));
  EXPECT_EQ(lines.lines(), 3);
}

TEST_F(CorpusLinesTest, PairsGiveBothSides) {
  file("a.en", "goose\nlake\n");
  file("a.de", "Gans\nSee\n");
  CorpusLines lines({folder_ / "a", file("b.tsv", "bird\tVogel\n")},
                    {.source_language = "en", .target_language = "de"}, BadRecords::kRefuse);
  EXPECT_THAT(all(lines), ElementsAre("goose", "Gans", "lake", "See", "bird", "Vogel"));
}

TEST_F(CorpusLinesTest, BadLinesAreRefusedWithTheirPlaceOrSkippedAndCounted) {
  const std::filesystem::path path = file("a", "one\n\xFF\ntwo\n");
  CorpusLines skipping({path}, {}, BadRecords::kSkip);
  EXPECT_THAT(all(skipping), ElementsAre("one", "two"));
  EXPECT_EQ(skipping.skipped(), 1);
  CorpusLines refusing({path}, {}, BadRecords::kRefuse);
  try {
    all(refusing);
    FAIL() << "expected a RecordError";
  } catch (const RecordError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith(path.string() + ":2: byte 1 is not UTF-8"));
  }
}

TEST_F(CorpusLinesTest, AMissingFileIsNamed) {
  CorpusLines lines({folder_ / "none"}, {}, BadRecords::kRefuse);
  std::string line;
  try {
    lines.next(line);
    FAIL() << "expected a FileError";
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("none: No such file or directory"));
  }
}

}  // namespace
}  // namespace skein
