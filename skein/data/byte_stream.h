// Bytes in sequence from a file or memory, decompressed on the way. Gzip (several members) and zstd
// (several frames) are known by their first bytes, whatever the file is called.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace skein {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Fills the front of `out` and returns how much: at least one byte, 0 only at the end. Throws
  // FileError when reading fails, FormatError when compressed data is cut short or altered.
  virtual size_t read(std::span<char> out) = 0;
  // False if the next read() would wait for the program at the other end of a pipe or for a person.
  // Compressed streams never know and say true.
  virtual bool ready() const { return true; }
};

// A file or pipe, decompressed where its first bytes ask for it. Throws FileError if it is missing,
// unreadable or a folder.
std::unique_ptr<ByteStream> open_stream(const std::filesystem::path& path);

// The same of the process's standard input.
std::unique_ptr<ByteStream> standard_input();

// The same over bytes in memory; `name` stands for the path in errors.
std::unique_ptr<ByteStream> memory_stream(std::string bytes, std::string name);

// Everything up to the end. Throws FormatError beyond `limit` bytes.
std::string read_all(ByteStream& stream, const std::string& name, size_t limit);

}  // namespace skein
