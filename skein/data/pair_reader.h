// Sentence pairs from a file of any format, one after another.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "skein/base/error.h"

namespace skein {

// Text of one line each, in UTF-8. Monolingual: `source` is empty.
struct Pair {
  std::string source;
  std::string target;

  bool operator==(const Pair&) const = default;
};

// One record cannot be used; the reader stands behind it and can go on.
class RecordError : public FormatError {
 public:
  using FormatError::FormatError;
};

class PairReader {
 public:
  virtual ~PairReader() = default;

  // False at the end. Throws RecordError for one bad record, FormatError or FileError where the
  // rest of the file cannot be read either.
  virtual bool next(Pair& pair) = 0;

  // `file:line`, or what stands for a line in the format, of the last pair.
  virtual std::string where() const = 0;

  // What the file holds beside pairs, counted by cause: "untranslated", "fuzzy".
  const std::map<std::string, int64_t>& left_out() const { return left_out_; }

 protected:
  std::map<std::string, int64_t> left_out_;
};

}  // namespace skein
