#include "skein/data/data_set_format.h"

#include <zlib.h>

namespace skein::internal {

uint32_t checksum(std::span<const std::byte> bytes, uint32_t before) {
  if (bytes.empty()) return before;  // zlib takes a null pointer for a request of its initial value
  return static_cast<uint32_t>(
      ::crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

uint32_t header_checksum(const DataSetHeader& header) {
  return checksum(
      std::as_bytes(std::span(&header, 1)).first(offsetof(DataSetHeader, header_checksum)));
}

}  // namespace skein::internal
