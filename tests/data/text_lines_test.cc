#include "skein/data/text_lines.h"

#include <gtest/gtest.h>

#include "data/temporary_folder.h"
#include "skein/base/error.h"

namespace skein {
namespace {

TEST(TextLines, AreReadInOrderTheLastWithoutItsLineFeedToo) {
  const TemporaryFolder folder;
  const auto path = folder.file("a.txt", "eins\n\ndrei");
  EXPECT_EQ(read_text_lines(path), (std::vector<std::string>{"eins", "", "drei"}));
}

TEST(TextLines, AByteOrderMarkIsRemovedUnlessItIsAskedFor) {
  const TemporaryFolder folder;
  const auto path = folder.file("mark.txt", "\uFEFFa\n");
  EXPECT_EQ(read_text_lines(path), (std::vector<std::string>{"a"}));
  EXPECT_EQ(read_text_lines(path, ByteOrderMark::kKeep), (std::vector<std::string>{"\uFEFFa"}));
}

TEST(TextLines, ALineThatIsNotUtf8IsNamed) {
  const TemporaryFolder folder;
  const auto path = folder.file("latin1.txt", "gut\nsch\xF6n\n");
  try {
    read_text_lines(path);
    FAIL() << "Latin-1 was taken for UTF-8";
  } catch (const FormatError& error) {
    EXPECT_EQ(std::string(error.what()).find(path.string() + ":2: byte 4 is not UTF-8"), 0u)
        << error.what();
  }
}

TEST(TextLines, AnEmptyFileIsRefused) {
  const TemporaryFolder folder;
  EXPECT_THROW(read_text_lines(folder.file("empty.txt", "")), FormatError);
}

TEST(TextLines, AMissingFileIsRefused) {
  EXPECT_THROW(read_text_lines("/nonexistent/file.txt"), FileError);
}

}  // namespace
}  // namespace skein
