#include "skein/train/event_writer.h"

#include <gtest/gtest.h>

#include <bit>
#include <numeric>
#include <vector>

#include "data/temporary_folder.h"
#include "skein/base/error.h"
#include "skein/base/files.h"
#include "skein/train/crc32c.h"

namespace skein {
namespace {

TEST(Crc32c, HasTheValuesOfRfc3720) {
  // RFC 3720, appendix B.4, whose bytes are listed lowest first.
  std::string rising(32, '\0');
  std::iota(rising.begin(), rising.end(), '\0');
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
  EXPECT_EQ(crc32c(rising), 0x46DD794Eu);
  EXPECT_EQ(crc32c(std::string(rising.rbegin(), rising.rend())), 0x113FDB5Cu);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);  // the check value of every CRC catalogue
}

// A reader of its own, so that writer and reader do not share a mistake.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool done() const { return bytes_.empty(); }

  std::string_view take(size_t size) {
    EXPECT_LE(size, bytes_.size());
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(taken.size());
    return taken;
  }
  uint64_t fixed(size_t size) {
    uint64_t value = 0;
    const std::string_view bytes = take(size);
    for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[i]);
    return value;
  }
  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; !done(); shift += 7) {
      const auto byte = static_cast<uint8_t>(take(1)[0]);
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) break;
    }
    return value;
  }

 private:
  std::string_view bytes_;
};

// The payloads of a record file, its checksums checked.
std::vector<std::string> payloads(std::string_view file) {
  std::vector<std::string> result;
  for (Reader reader(file); !reader.done();) {
    const std::string_view length_bytes = reader.take(8);
    const uint64_t length = Reader(length_bytes).fixed(8);
    EXPECT_EQ(reader.fixed(4), masked_crc32c(length_bytes));
    const std::string_view payload = reader.take(length);
    EXPECT_EQ(reader.fixed(4), masked_crc32c(payload));
    result.emplace_back(payload);
  }
  return result;
}

struct Event {
  double wall_time = 0;
  int64_t step = 0;
  std::string file_version, tag;
  float value = 0;
};

Event decode(std::string_view payload) {
  Event event;
  for (Reader reader(payload); !reader.done();) {
    switch (reader.varint()) {
      case 1 << 3 | 1:
        event.wall_time = std::bit_cast<double>(reader.fixed(8));
        break;
      case 2 << 3 | 0:
        event.step = static_cast<int64_t>(reader.varint());
        break;
      case 3 << 3 | 2:
        event.file_version = reader.take(reader.varint());
        break;
      case 5 << 3 | 2: {
        Reader summary(reader.take(reader.varint()));
        EXPECT_EQ(summary.varint(), 1u << 3 | 2);
        Reader value(summary.take(summary.varint()));
        EXPECT_EQ(value.varint(), 1u << 3 | 2);
        event.tag = value.take(value.varint());
        EXPECT_EQ(value.varint(), 2u << 3 | 5);
        event.value = std::bit_cast<float>(static_cast<uint32_t>(value.fixed(4)));
        break;
      }
      default:
        ADD_FAILURE() << "an unknown field";
        return event;
    }
  }
  return event;
}

TEST(EventWriter, TheFileTellsItsVersionAndThenEveryScalar) {
  const TemporaryFolder folder;
  EventWriter writer(folder.path() / "board", 1700000000.5);
  writer.add_scalar({.wall_time = 1700000001.25, .step = 100, .tag = "train/loss", .value = 4.5F});
  writer.add_scalar(
      {.wall_time = 1700000002, .step = int64_t{1} << 40, .tag = "valid/bleu", .value = -1});

  const std::vector<std::string> records = payloads(read_file(writer.path()));
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(decode(records[0]).file_version, "brain.Event:2");
  EXPECT_EQ(decode(records[0]).wall_time, 1700000000.5);
  EXPECT_EQ(decode(records[1]).tag, "train/loss");
  EXPECT_EQ(decode(records[1]).step, 100);
  EXPECT_EQ(decode(records[1]).value, 4.5F);
  EXPECT_EQ(decode(records[1]).wall_time, 1700000001.25);
  EXPECT_EQ(decode(records[2]).step, int64_t{1} << 40);
  EXPECT_EQ(decode(records[2]).value, -1);
}

TEST(EventWriter, TheFirstRecordHasTheBytesThatTensorFlowWrites) {
  // wall_time 0 and "brain.Event:2", laid out by hand from event.proto: 24 bytes.
  const std::string payload = encode_version_event(0);
  EXPECT_EQ(payload, std::string("\x09\0\0\0\0\0\0\0\0\x1A\x0D", 11) + "brain.Event:2");
  const std::string record = frame_record(payload);
  EXPECT_EQ(record.size(), 8u + 4 + 24 + 4);
  // The framing of 24-byte records is known from every event file: length 24, then a3 7f 4b 22.
  EXPECT_EQ(record.substr(0, 12), std::string("\x18\0\0\0\0\0\0\0\xA3\x7F\x4B\x22", 12));
}

TEST(EventWriter, TheNameOfTheFileIsOneThatTensorBoardLooksFor) {
  const TemporaryFolder folder;
  const EventWriter writer(folder.path(), 1700000000);
  EXPECT_EQ(writer.path().filename().string().find("events.out.tfevents.1700000000."), 0u);
}

TEST(EventWriter, AFolderThatCannotBeMadeIsRefused) {
  const TemporaryFolder folder;
  const auto file = folder.file("taken", "");
  EXPECT_THROW(EventWriter(file / "board", 0), FileError);
}

}  // namespace
}  // namespace skein
