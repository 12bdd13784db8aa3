#include "skein/data/data_set.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "skein/base/checksum.h"
#include "skein/base/error.h"
#include "skein/data/data_set_format.h"

namespace skein {
namespace {

using internal::DataSetHeader;

constexpr uint64_t kHeaderBytes = sizeof(DataSetHeader);
constexpr uint64_t kMostTokens = std::numeric_limits<int32_t>::max();

[[noreturn]] void fail(const std::string& name, const std::string& fault) {
  throw FormatError(fmt::format("{}: {}; run skein prepare again", name, fault));
}

// The counts of a header whose checksum holds can still be those of another file; nothing is
// trusted.
void check_header(const DataSetHeader& header, uint64_t file_bytes, const std::string& name) {
  if (header.magic != internal::kDataSetMagic) fail(name, "not a data set of skein");
  if (header.byte_order != internal::kByteOrderMark) {
    fail(name, "written on a machine of another byte order");
  }
  if (header.version != internal::kDataSetVersion) {
    fail(name, fmt::format("format version {}, this program reads {}", header.version,
                           internal::kDataSetVersion));
  }
  if (header.header_checksum != internal::header_checksum(header))
    fail(name, "the header is altered");
  const bool consistent = (header.token_bytes == 2 || header.token_bytes == 4) &&
                          (header.sides == 1 || header.sides == 2) &&
                          (header.sides == 2 || header.source_tokens == 0);
  if (!consistent) fail(name, "the header contradicts itself");
  // Counts beyond the file's bytes would overflow the products below.
  const uint64_t tokens = header.source_tokens + header.target_tokens;
  if (header.source_tokens > file_bytes || header.target_tokens > file_bytes ||
      header.samples > file_bytes) {
    fail(name, "the file is cut short");
  }
  const uint64_t offsets = header.samples * header.sides + 1;
  const uint64_t position = internal::aligned_to_8(kHeaderBytes + tokens * header.token_bytes);
  if (header.offsets_position != position) fail(name, "the header contradicts itself");
  if (file_bytes != position + offsets * sizeof(uint64_t)) {
    fail(name, fmt::format("{} bytes where the header announces {}", file_bytes,
                           position + offsets * sizeof(uint64_t)));
  }
}

}  // namespace

DataSet::DataSet(const std::filesystem::path& path) : name_(path.string()), file_(path) {
  const std::span<const std::byte> bytes = file_.bytes();
  if (bytes.size() < kHeaderBytes) fail(name_, "too short for a data set of skein");
  DataSetHeader header;
  std::memcpy(&header, bytes.data(), kHeaderBytes);
  check_header(header, bytes.size(), name_);
  samples_ = static_cast<int64_t>(header.samples);
  source_tokens_ = static_cast<int64_t>(header.source_tokens);
  target_tokens_ = static_cast<int64_t>(header.target_tokens);
  source_vocabulary_ = header.source_vocabulary;
  target_vocabulary_ = header.target_vocabulary;
  sides_ = header.sides;
  token_bytes_ = header.token_bytes;
  tokens_checksum_ = header.tokens_checksum;
  checksum_ = header.header_checksum;
  tokens_ = bytes.subspan(kHeaderBytes, header.offsets_position - kHeaderBytes);
  const std::span<const std::byte> offsets = bytes.subspan(header.offsets_position);
  if (crc32(offsets) != header.offsets_checksum) fail(name_, "the offsets are altered");
  // The mapping begins at a page and the position is a multiple of 8.
  offsets_ = {reinterpret_cast<const uint64_t*>(offsets.data()), offsets.size() / sizeof(uint64_t)};
  check_offsets();
}

void DataSet::check_offsets() const {
  uint64_t source_tokens = 0;
  for (size_t i = 0; i + 1 < offsets_.size(); ++i) {
    if (offsets_[i + 1] < offsets_[i] || offsets_[i + 1] - offsets_[i] > kMostTokens) {
      fail(name_, fmt::format("the offsets of sample {} are out of order", i / sides_));
    }
    if (sides_ == 2 && i % 2 == 0) source_tokens += offsets_[i + 1] - offsets_[i];
  }
  if (offsets_.front() != 0 || source_tokens != static_cast<uint64_t>(source_tokens_) ||
      offsets_.back() != static_cast<uint64_t>(source_tokens_ + target_tokens_)) {
    fail(name_, "the offsets do not add up to the number of tokens");
  }
}

int64_t DataSet::source_length(int64_t sample) const {
  if (sides_ == 1) return 0;
  const auto first = static_cast<size_t>(sample) * 2;
  return static_cast<int64_t>(offsets_[first + 1] - offsets_[first]);
}

int64_t DataSet::target_length(int64_t sample) const {
  const size_t first = static_cast<size_t>(sample) * sides_ + sides_ - 1;
  return static_cast<int64_t>(offsets_[first + 1] - offsets_[first]);
}

void DataSet::append_source(int64_t sample, std::vector<int32_t>& tokens) const {
  if (sides_ == 1) return;
  const auto first = static_cast<size_t>(sample) * 2;
  append(offsets_[first], offsets_[first + 1], source_vocabulary_, tokens);
}

void DataSet::append_target(int64_t sample, std::vector<int32_t>& tokens) const {
  append_target(sample, 0, target_length(sample), tokens);
}

void DataSet::append_target(int64_t sample, int64_t begin, int64_t end,
                            std::vector<int32_t>& tokens) const {
  const uint64_t first = offsets_[static_cast<size_t>(sample) * sides_ + sides_ - 1];
  append(first + static_cast<uint64_t>(begin), first + static_cast<uint64_t>(end),
         target_vocabulary_, tokens);
}

void DataSet::append(uint64_t begin, uint64_t end, int64_t vocabulary,
                     std::vector<int32_t>& tokens) const {
  tokens.reserve(tokens.size() + (end - begin));
  for (uint64_t i = begin; i < end; ++i) {
    uint32_t id = 0;
    if (token_bytes_ == 2) {
      uint16_t narrow = 0;
      std::memcpy(&narrow, tokens_.data() + i * 2, 2);
      id = narrow;
    } else {
      std::memcpy(&id, tokens_.data() + i * 4, 4);
    }
    if (static_cast<int64_t>(id) >= vocabulary) {
      fail(name_, fmt::format("token {} is {}, the vocabulary ends at {}", i, id, vocabulary));
    }
    tokens.push_back(static_cast<int32_t>(id));
  }
}

void DataSet::verify() const {
  if (crc32(tokens_) != tokens_checksum_) fail(name_, "the tokens are altered");
}

}  // namespace skein
