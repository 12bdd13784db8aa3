// Text with one sentence a line.
#include <fmt/format.h>

#include <utility>

#include "skein/data/readers.h"
#include "skein/data/record.h"

namespace skein {
namespace {

class AlignedLines : public PairReader {
 public:
  AlignedLines(LineReader source, LineReader target)
      : source_(std::move(source)), target_(std::move(target)) {}

  bool next(Pair& pair) override {
    const bool has_source = source_.next(pair.source);
    const bool has_target = target_.next(pair.target);
    if (has_source != has_target) refuse_rest();
    if (!has_source) return false;
    internal::require_utf8_record(pair.source, source_.where());
    internal::require_utf8_record(pair.target, target_.where());
    return true;
  }

  std::string where() const override { return source_.where(); }

 private:
  [[noreturn]] void refuse_rest() {
    std::string line;
    while (source_.next(line)) {
    }
    while (target_.next(line)) {
    }
    throw FormatError(fmt::format(
        "{} has {} lines, but {} has {}; line i of one must translate line i of the other",
        source_.name(), source_.line_number(), target_.name(), target_.line_number()));
  }

  LineReader source_;
  LineReader target_;
};

class Lines : public PairReader {
 public:
  explicit Lines(LineReader lines) : lines_(std::move(lines)) {}

  bool next(Pair& pair) override {
    pair.source.clear();
    if (!lines_.next(pair.target)) return false;
    internal::require_utf8_record(pair.target, lines_.where());
    return true;
  }

  std::string where() const override { return lines_.where(); }

 private:
  LineReader lines_;
};

}  // namespace

std::unique_ptr<PairReader> read_aligned_lines(LineReader source, LineReader target) {
  return std::make_unique<AlignedLines>(std::move(source), std::move(target));
}

std::unique_ptr<PairReader> read_lines(LineReader lines) {
  return std::make_unique<Lines>(std::move(lines));
}

}  // namespace skein
