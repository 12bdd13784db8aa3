#include "skein/base/checksum.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <vector>

#include "skein/base/files.h"
#include "skein/base/parallel.h"

namespace skein {
namespace {

constexpr size_t kBlock = size_t{4} << 20;

uint32_t block_checksum(std::span<const std::byte> bytes, uint32_t before) {
  return static_cast<uint32_t>(
      ::crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

uint32_t crc32(std::span<const std::byte> bytes, uint32_t before) {
  if (bytes.empty()) return before;
  const size_t blocks = (bytes.size() + kBlock - 1) / kBlock;
  std::vector<uint32_t> sums(blocks);
  const auto block = [&](size_t index) {
    return bytes.subspan(index * kBlock, std::min(kBlock, bytes.size() - index * kBlock));
  };
  parallel_for(static_cast<int64_t>(blocks), 1, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      sums[i] = block_checksum(block(i), 0);
    }
  });
  uint32_t total = before;
  for (size_t i = 0; i < blocks; ++i) {
    total = static_cast<uint32_t>(
        ::crc32_combine(total, sums[i], static_cast<z_off_t>(block(i).size())));
  }
  return total;
}

std::string crc32_text(std::string_view content) {
  return fmt::format("{:08x}", crc32(std::as_bytes(std::span(content))));
}

std::string file_crc32_text(const std::filesystem::path& path) {
  const MappedFile file(path);
  return fmt::format("{:08x}", crc32(file.bytes()));
}

}  // namespace skein
