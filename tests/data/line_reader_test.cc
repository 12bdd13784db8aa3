#include "skein/data/line_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include "compressed.h"
#include "skein/base/error.h"
#include "skein/base/random.h"
#include "temporary_folder.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> lines_of(LineReader reader) {
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  EXPECT_EQ(reader.line_number(), static_cast<int64_t>(lines.size()));
  return lines;
}

std::vector<std::string> lines_of(std::string bytes) {
  return lines_of(LineReader(memory_stream(std::move(bytes), "corpus"), "corpus"));
}

template <typename Exception, typename Body>
std::string message_of(Body body) {
  try {
    body();
  } catch (const Exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(LineReader, GivesLinesWithoutTheirEndWhetherUnixOrWindows) {
  EXPECT_THAT(lines_of("one\ntwo\r\n\nfour"), ElementsAre("one", "two", "", "four"));
  EXPECT_THAT(lines_of(""), ElementsAre());
  EXPECT_THAT(lines_of("\n"), ElementsAre(""));
}

TEST(LineReader, RemovesAByteOrderMarkInFrontOfTheFirstLineOnly) {
  EXPECT_THAT(lines_of("\xef\xbb\xbfone\n\xef\xbb\xbftwo\n"),
              ElementsAre("one", "\xef\xbb\xbftwo"));
}

TEST(LineReader, RefusesUtf16WithTheRemedy) {
  EXPECT_THAT(message_of<FormatError>([] {
                lines_of(
                    std::string("\xff\xfe"
                                "a\0",
                                4));
              }),
              HasSubstr("corpus: the text is UTF-16; convert it"));
}

TEST(LineReader, KnowsCompressionByItsFirstBytesWhateverTheName) {
  const TemporaryFolder folder;
  const std::string text = "ein Hund\neine Katze\n";
  EXPECT_THAT(lines_of(LineReader(folder.file("a.txt", gzip_compressed(text)))),
              ElementsAre("ein Hund", "eine Katze"));
  EXPECT_THAT(lines_of(LineReader(folder.file("b.gz", zstd_compressed(text)))),
              ElementsAre("ein Hund", "eine Katze"));
  EXPECT_THAT(lines_of(LineReader(folder.file("c.zst", text))),
              ElementsAre("ein Hund", "eine Katze"));
}

TEST(LineReader, ReadsEveryMemberAndFrameOfAConcatenatedFile) {
  EXPECT_THAT(lines_of(gzip_compressed("a\nb") + gzip_compressed("") + gzip_compressed("c\nd\n") +
                       std::string(512, '\0')),
              ElementsAre("a", "bc", "d"));
  const std::string skippable = std::string("\x5a\x2a\x4d\x18\x03\x00\x00\x00xyz", 11);
  EXPECT_THAT(lines_of(skippable + zstd_compressed("a\nb") + skippable + zstd_compressed("c\n")),
              ElementsAre("a", "bc"));
}

TEST(LineReader, TakesTruncatedCompressedDataForAnErrorAtEveryLength) {
  Random random(1);
  std::string text;
  for (int i = 0; i < 2000; ++i) text += static_cast<char>('a' + random.below(26));
  text += '\n';
  for (const std::string& whole : {gzip_compressed(text), zstd_compressed(text)}) {
    ASSERT_THAT(lines_of(whole), ElementsAre(text.substr(0, 2000)));
    for (size_t length = 4; length < whole.size(); length += 7) {
      EXPECT_THROW(lines_of(whole.substr(0, length)), FormatError) << length;
    }
  }
}

TEST(LineReader, NamesTheFileWhoseCompressedDataIsDamaged) {
  std::string bytes = gzip_compressed("one line of text\n");
  bytes[bytes.size() - 6] ^= 0x55;  // the checksum
  EXPECT_THAT(message_of<FormatError>([&] { lines_of(bytes); }),
              HasSubstr("corpus: the gzip data is damaged (incorrect data check)"));
}

TEST(LineReader, PassesLinesOfAnyLengthAcrossItsBuffers) {
  Random random(2);
  std::vector<std::string> expected;
  std::string text;
  for (int i = 0; i < 40; ++i) {
    expected.emplace_back(random.below(200000), static_cast<char>('a' + i % 26));
    text += expected.back() + "\r\n";
  }
  EXPECT_EQ(lines_of(text), expected);
  EXPECT_EQ(lines_of(zstd_compressed(text)), expected);
}

TEST(LineReader, SaysWhatIsWrongWithAFileThatCannotBeRead) {
  const TemporaryFolder folder;
  EXPECT_THAT(message_of<FileError>([&] { LineReader reader(folder.path() / "absent.en"); }),
              HasSubstr("absent.en: No such file or directory; check the name"));
  EXPECT_THAT(message_of<FileError>([&] { LineReader reader(folder.path()); }),
              HasSubstr("Is a directory"));
}

// What a person types, or a program writes when it likes.
class Typed : public ByteStream {
 public:
  explicit Typed(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}
  size_t read(std::span<char> out) override {
    if (next_ == pieces_.size()) return 0;
    const size_t count = std::min(out.size(), pieces_[next_].size());
    std::copy_n(pieces_[next_].data(), count, out.data());
    pieces_[next_++].erase(0, count);
    typed_ = false;
    return count;
  }
  bool ready() const override { return typed_; }
  void type() { typed_ = true; }

 private:
  std::vector<std::string> pieces_;
  size_t next_ = 0;
  bool typed_ = false;
};

TEST(LineReader, KnowsWhetherALineIsThereWithoutWaitingForIt) {
  auto typed = std::make_unique<Typed>(std::vector<std::string>{"one\ntw", "o\n"});
  Typed& keyboard = *typed;
  LineReader reader(std::move(typed), "keyboard");
  std::string line;
  EXPECT_FALSE(reader.ready());
  keyboard.type();
  EXPECT_TRUE(reader.ready());
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "one");
  EXPECT_FALSE(reader.ready());  // "tw" has no end yet
  keyboard.type();
  EXPECT_TRUE(reader.ready());
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "two");
  EXPECT_FALSE(reader.ready());
  keyboard.type();
  EXPECT_TRUE(reader.ready());  // the end
  EXPECT_FALSE(reader.next(line));
}

TEST(LineReader, DoesNotHoldBackAShortFirstLine) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  ASSERT_EQ(::write(pipe[1], "a\n", 2), 2);
  // Would wait for more bytes for ever if it looked for a whole magic number.
  LineReader reader("/dev/fd/" + std::to_string(pipe[0]));
  std::string line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "a");
  EXPECT_FALSE(reader.ready());
  ::close(pipe[0]);
  ::close(pipe[1]);
}

}  // namespace
}  // namespace skein
