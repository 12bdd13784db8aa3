#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "skein/base/checksum.h"
#include "skein/base/error.h"
#include "skein/base/files.h"
#include "skein/train/safetensors.h"
#include "skein/train/safetensors_header.h"

namespace skein {
namespace {

// Values begin at a cache line's boundary in the file, and so in its mapping.
constexpr size_t kAlignment = 64;

std::span<const std::byte> bytes_of(const Tensor& tensor) {
  if (tensor.bytes() == 0) return {};
  return {tensor.raw(), tensor.bytes()};
}

// Large element types first, so that every tensor is aligned for its type without gaps.
std::vector<NamedTensor> in_file_order(std::span<const NamedTensor> tensors) {
  std::vector<NamedTensor> sorted(tensors.begin(), tensors.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const NamedTensor& a, const NamedTensor& b) {
    return size_of(a.values.type()) > size_of(b.values.type());
  });
  return sorted;
}

std::string header_of(std::span<const NamedTensor> tensors, const Metadata& metadata) {
  nlohmann::ordered_json header;
  header["__metadata__"] = metadata;
  size_t position = 0;
  for (const NamedTensor& tensor : tensors) {
    if (header.contains(tensor.name)) {
      throw Error("two tensors are named " + tensor.name + ", which a file cannot hold");
    }
    std::vector<int64_t> extents;
    extents.reserve(Shape::kMaxRank);
    for (int i = 0; i < tensor.values.shape().rank(); ++i) {
      extents.push_back(tensor.values.shape()[i]);
    }
    const size_t end = position + tensor.values.bytes();
    header[tensor.name] = {{"dtype", safetensors_name(tensor.values.type())},
                           {"shape", extents},
                           {"data_offsets", {position, end}}};
    position = end;
  }
  std::string text = header.dump();
  while ((kSafetensorsLengthBytes + text.size()) % kAlignment != 0) text += ' ';
  return text;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                       Metadata metadata) {
  const std::vector<NamedTensor> sorted = in_file_order(tensors);
  metadata[std::string(kChecksumKey)] = std::string(kChecksumDigits, '0');
  std::string header = header_of(sorted, metadata);
  const uint64_t length = header.size();
  const auto length_bytes = std::as_bytes(std::span(&length, 1));

  uint32_t sum = crc32(std::as_bytes(std::span(header)), crc32(length_bytes));
  for (const NamedTensor& tensor : sorted) sum = crc32(bytes_of(tensor.values), sum);
  header.replace(checksum_place(header), kChecksumDigits, fmt::format("{:08x}", sum));

  FileWriter writer(path);
  writer.write(length_bytes);
  writer.write(header);
  for (const NamedTensor& tensor : sorted) writer.write(bytes_of(tensor.values));
  writer.close();
}

}  // namespace skein
