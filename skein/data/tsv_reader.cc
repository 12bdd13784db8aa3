#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "skein/data/readers.h"
#include "skein/data/record.h"

namespace skein {
namespace {

class TsvReader : public PairReader {
 public:
  TsvReader(LineReader lines, const CorpusOptions& options)
      : lines_(std::move(lines)),
        monolingual_(options.monolingual()),
        source_column_(options.source_column == 0 ? 1 : options.source_column),
        target_column_(options.target_column != 0 ? options.target_column
                       : monolingual_             ? 1
                                                  : 2) {
    if (source_column_ < 1 || target_column_ < 1) {
      throw UsageError(fmt::format("{}: columns count from 1, {} and {} were given", lines_.name(),
                                   options.source_column, options.target_column));
    }
  }

  bool next(Pair& pair) override {
    if (!lines_.next(line_)) return false;
    internal::require_utf8_record(line_, lines_.where());
    pair.source = monolingual_ ? std::string_view() : column(source_column_);
    pair.target = column(target_column_);
    return true;
  }

  std::string where() const override { return lines_.where(); }

 private:
  std::string_view column(int number) const {
    std::string_view rest = line_;
    for (int i = 1;; ++i) {
      const size_t tab = rest.find('\t');
      if (i == number) return rest.substr(0, tab);
      if (tab == std::string_view::npos) {
        throw RecordError(
            fmt::format("{}: {} column(s) apart by tabs where column {} is wanted; repair the "
                        "line or leave it out with --on-error skip",
                        lines_.where(), i, number));
      }
      rest.remove_prefix(tab + 1);
    }
  }

  LineReader lines_;
  std::string line_;
  bool monolingual_;
  int source_column_;
  int target_column_;
};

}  // namespace

std::unique_ptr<PairReader> read_tsv(LineReader lines, const CorpusOptions& options) {
  return std::make_unique<TsvReader>(std::move(lines), options);
}

}  // namespace skein
