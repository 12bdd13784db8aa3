// Lines of a text file, plain, .gz or .zst, one at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "skein/data/byte_stream.h"

namespace skein {

// What becomes of a UTF-8 byte order mark in front of the first line. It is no text, but published
// metric scores count it as a character.
enum class ByteOrderMark { kRemove, kKeep };

class LineReader {
 public:
  // Throws FileError if the file is missing or unreadable.
  explicit LineReader(const std::filesystem::path& path,
                      ByteOrderMark mark = ByteOrderMark::kRemove);
  // `name` stands for the path in errors.
  LineReader(std::unique_ptr<ByteStream> stream, std::string name,
             ByteOrderMark mark = ByteOrderMark::kRemove);

  // The next line without its LF or CRLF. False at the end. Bytes are passed on as they are:
  // require_utf8() checks them. Throws FormatError for UTF-16, a line of more than 64 MiB, and
  // compressed data that is cut short or altered.
  bool next(std::string& line);

  // False if next() would wait for the program at the other end of a pipe or for a person; true at
  // the end. Reads what is there.
  bool ready();

  // The number of the last line, from 1; after the end, the number of lines.
  int64_t line_number() const { return line_number_; }
  // `name:line` of the last line.
  std::string where() const;
  const std::string& name() const { return name_; }

 private:
  bool refill();
  void append_available();
  void check_first_line(std::string& line) const;

  std::unique_ptr<ByteStream> stream_;
  std::string name_;
  ByteOrderMark mark_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  bool at_end_ = false;
  int64_t line_number_ = 0;
};

}  // namespace skein
