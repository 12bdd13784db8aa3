// A data set file of any bytes. Checksums would keep every altered file out at the door, so those
// of header and offsets are put right first.
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "skein/base/checksum.h"
#include "skein/base/error.h"
#include "skein/data/data_set.h"
#include "skein/data/data_set_format.h"

namespace {

using skein::internal::DataSetHeader;

void put_checksums_right(std::string& bytes) {
  DataSetHeader header;
  if (bytes.size() < sizeof(header)) return;
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.offsets_position <= bytes.size()) {
    header.offsets_checksum =
        skein::crc32(std::as_bytes(std::span(bytes).subspan(header.offsets_position)));
  }
  header.header_checksum = skein::internal::header_checksum(header);
  std::memcpy(bytes.data(), &header, sizeof(header));
}

void read_whole(const skein::DataSet& data) {
  std::vector<int32_t> tokens;
  for (int64_t sample = 0; sample < data.size(); ++sample) {
    data.append_source(sample, tokens);
    data.append_target(sample, tokens);
  }
  data.verify();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("data_set_fuzzer_" + std::to_string(::getpid()));
  std::string bytes(reinterpret_cast<const char*>(data), size);
  put_checksums_right(bytes);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  try {
    read_whole(skein::DataSet(path));
  } catch (const skein::Error&) {
  }
  std::filesystem::remove(path);
  return 0;
}
