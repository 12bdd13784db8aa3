// Files of named tensors in the safetensors format (https://huggingface.co/docs/safetensors): the
// length of a JSON header in 8 little-endian bytes, the header, the values. Readable by PyTorch and
// others. Types f32, bf16, i32, i64, i8 and u8; at most four extents.
//
// What Skein writes also has a CRC-32 in its metadata, over header and values, so that altered
// content is found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skein/base/files.h"
#include "skein/tensor/named_tensor.h"

namespace skein {

using Metadata = std::map<std::string, std::string>;

struct SafetensorsEntry {
  std::string name;
  DType type = DType::kF32;
  Shape shape = {};
  size_t begin = 0;  // byte in the file
  size_t end = 0;
};

struct SafetensorsLayout {
  std::vector<SafetensorsEntry> entries;  // in the order of their bytes
  Metadata metadata;
};

// Reads and checks the header of a whole file. Throws FormatError, beginning with `origin` and the
// place, if it is truncated, is no valid header, or entries overlap, leave gaps or lie outside.
SafetensorsLayout read_safetensors_layout(std::span<const std::byte> file,
                                          const std::string& origin);

enum class ChecksumVerdict { kRight, kWrong, kNone };

class SafetensorsFile {
 public:
  // Maps the file. Throws FileError, or FormatError as above.
  explicit SafetensorsFile(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::span<const SafetensorsEntry> entries() const { return layout_.entries; }
  const Metadata& metadata() const { return layout_.metadata; }
  // Null if there is none.
  const SafetensorsEntry* find(std::string_view name) const;

  // A copy of one tensor. Throws FormatError, with the nearest name, if there is none.
  Tensor read(std::string_view name) const;
  std::span<const std::byte> bytes(const SafetensorsEntry& entry) const;

  ChecksumVerdict checksum() const;
  // Throws FormatError if there is a checksum and it is wrong.
  void require_right_checksum() const;

 private:
  std::filesystem::path path_;
  MappedFile file_;
  SafetensorsLayout layout_;
};

// Copies the file's tensors into `targets`, to the bit. Throws FormatError if the checksum is wrong
// or a target is missing, or has another type or shape, or the file has a tensor more. `what` names
// the content in the error ("parameters").
void load_tensors(const SafetensorsFile& file, std::span<const NamedTensor> targets,
                  std::string_view what);

// Throws FileError if it cannot be written.
void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                       Metadata metadata);

}  // namespace skein
