// Lines to translate, as text or as JSON lines, each with what is asked of its translation.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "skein/data/line_reader.h"
#include "skein/decode/source_line.h"

namespace skein {

class SourceReader {
 public:
  virtual ~SourceReader() = default;

  // False at the end. Throws what LineReader::next() throws.
  virtual bool next(SourceLine& line) = 0;
  // False if next() would wait for a program or a person.
  virtual bool ready() = 0;
  // The file that a part of every line stands in.
  virtual const std::string& name(LinePart part) const = 0;
};

// Text that belongs to the source line by line.
struct SourceCompanions {
  std::optional<LineReader> prefixes = {};
  std::optional<LineReader> constraints = {};  // those of a line apart by tabs
};

// A line of text a source line. next() throws FormatError if a companion has not as many lines.
std::unique_ptr<SourceReader> text_source(LineReader lines, SourceCompanions companions = {});

// An object a line: {"source": "...", "prefix": "...", "constraints": ["..."]}, the last two only
// where they are wanted.
std::unique_ptr<SourceReader> json_source(LineReader lines);

}  // namespace skein
