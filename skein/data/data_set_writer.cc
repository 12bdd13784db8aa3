#include "skein/data/data_set_writer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "skein/base/checksum.h"
#include "skein/base/error.h"
#include "skein/data/data_set_format.h"

namespace skein {
namespace {

std::filesystem::path lengths_path(const std::filesystem::path& path) {
  return path.string() + ".lengths";
}

}  // namespace

DataSetWriter::DataSetWriter(std::filesystem::path path, VocabularySizes vocabulary)
    : path_(std::move(path)), vocabulary_(vocabulary), file_(path_), lengths_(lengths_path(path_)) {
  const std::array<std::byte, sizeof(internal::DataSetHeader)> place{};
  file_.write(place);
}

DataSetWriter::~DataSetWriter() {
  std::error_code ignored;
  std::filesystem::remove(lengths_path(path_), ignored);
}

void DataSetWriter::add(std::span<const int32_t> source, std::span<const int32_t> target) {
  if (vocabulary_.source > 0) write_sentence(source);
  write_sentence(target);
  ++samples_;
  source_tokens_ += source.size();
  target_tokens_ += target.size();
}

void DataSetWriter::write_sentence(std::span<const int32_t> tokens) {
  std::span<const std::byte> bytes = std::as_bytes(tokens);
  if (std::max(vocabulary_.source, vocabulary_.target) <= internal::kMostShortTokens) {
    narrow_.assign(tokens.begin(), tokens.end());
    bytes = std::as_bytes(std::span<const uint16_t>(narrow_));
  }
  tokens_checksum_ = crc32(bytes, tokens_checksum_);
  file_.write(bytes);
  const auto length = static_cast<uint32_t>(tokens.size());
  lengths_.write_values(std::span(&length, 1));
}

void DataSetWriter::write_offsets() {
  lengths_.close();
  const MappedFile mapped(lengths_path(path_));
  const std::span<const std::byte> lengths = mapped.bytes();
  const auto append = [&](uint64_t offset) {
    const std::span<const std::byte> bytes = std::as_bytes(std::span(&offset, 1));
    offsets_checksum_ = crc32(bytes, offsets_checksum_);
    file_.write(bytes);
  };
  uint64_t offset = 0;
  append(offset);
  for (size_t i = 0; i < lengths.size(); i += sizeof(uint32_t)) {
    uint32_t length = 0;
    std::memcpy(&length, lengths.data() + i, sizeof(length));
    append(offset += length);
  }
}

void DataSetWriter::close() {
  const std::array<std::byte, 8> zeros{};
  const std::span<const std::byte> padding =
      std::span(zeros).first(internal::aligned_to_8(file_.size()) - file_.size());
  tokens_checksum_ = crc32(padding, tokens_checksum_);
  file_.write(padding);
  internal::DataSetHeader header{};
  header.offsets_position = file_.size();
  write_offsets();
  header.magic = internal::kDataSetMagic;
  header.byte_order = internal::kByteOrderMark;
  header.version = internal::kDataSetVersion;
  header.token_bytes =
      std::max(vocabulary_.source, vocabulary_.target) <= internal::kMostShortTokens ? 2 : 4;
  header.sides = vocabulary_.source > 0 ? 2 : 1;
  header.source_vocabulary = static_cast<uint32_t>(vocabulary_.source);
  header.target_vocabulary = static_cast<uint32_t>(vocabulary_.target);
  header.samples = samples_;
  header.source_tokens = source_tokens_;
  header.target_tokens = target_tokens_;
  header.tokens_checksum = tokens_checksum_;
  header.offsets_checksum = offsets_checksum_;
  header.header_checksum = internal::header_checksum(header);
  file_.overwrite(0, std::as_bytes(std::span(&header, 1)));
  file_.close();
}

}  // namespace skein
