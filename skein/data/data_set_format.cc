#include "skein/data/data_set_format.h"

#include "skein/base/checksum.h"

namespace skein::internal {

uint32_t header_checksum(const DataSetHeader& header) {
  return crc32(
      std::as_bytes(std::span(&header, 1)).first(offsetof(DataSetHeader, header_checksum)));
}

}  // namespace skein::internal
