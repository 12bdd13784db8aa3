// Grammar: GNU gettext manual, "The Format of PO Files".
#include <fmt/format.h>

#include <deque>
#include <optional>
#include <string_view>
#include <utility>

#include "skein/data/charset.h"
#include "skein/data/gettext_entry.h"
#include "skein/data/po_string.h"
#include "skein/data/readers.h"
#include "skein/data/record.h"

namespace skein {
namespace {

using internal::GettextEntry;

std::string_view without_leading_space(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t\f\v");
  return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

class PoReader : public PairReader {
 public:
  PoReader(LineReader lines, bool monolingual)
      : lines_(std::move(lines)), monolingual_(monolingual) {}

  bool next(Pair& pair) override {
    while (waiting_.empty()) {
      if (!lines_.next(line_)) {
        finish_entry();
        if (!fault_.empty()) throw RecordError(std::exchange(fault_, {}));
        if (waiting_.empty()) return false;
        break;
      }
      read_line(without_leading_space(line_));
      if (!fault_.empty()) throw RecordError(std::exchange(fault_, {}));
    }
    pair = std::move(waiting_.front());
    waiting_.pop_front();
    return true;
  }

  std::string where() const override { return fmt::format("{}:{}", lines_.name(), pair_line_); }

 private:
  void read_line(std::string_view line) {
    if (line.starts_with('#')) {
      read_comment(line);
    } else if (line.starts_with('"')) {
      if (broken_) return;
      if (part_ == nullptr) refuse("text in quotes that belongs to no keyword");
      append_quoted(line);
    } else if (!line.empty()) {
      const size_t end = line.find_first_of(" \t\"");
      read_keyword(line.substr(0, end),
                   end == std::string_view::npos ? "" : without_leading_space(line.substr(end)));
    }
  }

  void read_comment(std::string_view line) {
    if (line.starts_with("#~")) {
      const std::string_view rest = without_leading_space(line.substr(2));
      if (rest.starts_with("msgid") && !rest.starts_with("msgid_plural")) ++left_out_["obsolete"];
      return;
    }
    if (!entry_.forms.empty()) finish_entry();
    // "#, fuzzy, c-format", and since gettext 0.23 also "#=".
    if (line.starts_with("#,") || line.starts_with("#=")) {
      fuzzy_ = fuzzy_ || line.find("fuzzy") != std::string_view::npos;
    }
  }

  void read_keyword(std::string_view keyword, std::string_view text) {
    if (keyword == "msgctxt" || keyword == "msgid") {
      if (!entry_.forms.empty() || broken_) finish_entry();
      if (keyword == "msgid") entry_line_ = lines_.line_number();
    }
    if (broken_) return;
    if (keyword == "msgctxt") {
      part_ = &context_.emplace();
    } else if (keyword == "msgid") {
      part_ = &entry_.id;
    } else if (keyword == "msgid_plural") {
      part_ = &entry_.plural_id;
    } else if (keyword == "msgstr" || keyword == fmt::format("msgstr[{}]", entry_.forms.size())) {
      part_ = &entry_.forms.emplace_back();
    } else {
      refuse(fmt::format("'{:.40}' is not what follows in a .po file", keyword));
    }
    append_quoted(text);
  }

  void append_quoted(std::string_view quoted) {
    std::string converted;
    if (converter_) {
      if (!converter_->to_utf8(quoted, converted)) refuse(fmt::format("not text in {}", charset_));
      quoted = converted;
    } else if (header_read_) {
      check_utf8(quoted);
    }
    if (const char* fault = internal::append_po_string(quoted, *part_)) refuse(fault);
  }

  void check_utf8(std::string_view text) {
    try {
      internal::require_utf8_record(text, lines_.where());
    } catch (const RecordError&) {
      broken_ = true;
      throw;
    }
  }

  // The rest of the entry is passed over; the next one begins with its msgid.
  [[noreturn]] void refuse(const std::string& fault) {
    broken_ = true;
    throw RecordError(fmt::format("{}: {}; repair the entry or leave it out with --on-error skip",
                                  lines_.where(), fault));
  }

  void finish_entry() {
    const GettextEntry entry = std::exchange(entry_, {});
    const bool fuzzy = std::exchange(fuzzy_, false);
    const bool broken = std::exchange(broken_, false);
    const bool has_context = context_.has_value();
    context_.reset();
    part_ = nullptr;
    if (broken || entry.forms.empty()) return;
    if (entry.id.empty() && !has_context) {
      read_header(entry.forms.front());
    } else if (fuzzy) {
      ++left_out_["fuzzy"];
    } else {
      add_pairs(entry);
    }
  }

  void read_header(std::string_view header) {
    header_read_ = true;
    charset_ = internal::charset_of_header(header);
    converter_.reset();
    if (charset_ == "UTF-8" || charset_ == "utf-8") return;
    try {
      converter_.emplace(charset_);
    } catch (const FormatError& error) {
      throw FormatError(fmt::format("{}: {}", lines_.name(), error.what()));
    }
  }

  void add_pairs(const GettextEntry& entry) {
    std::deque<Pair> pairs;
    if (!internal::append_pairs(entry, monolingual_, pairs)) ++left_out_["untranslated"];
    pair_line_ = entry_line_;
    try {
      // Octal and hexadecimal escapes can put together anything.
      for (const Pair& pair : pairs) {
        internal::require_utf8_record(pair.source, where());
        internal::require_utf8_record(pair.target, where());
      }
      waiting_.insert(waiting_.end(), pairs.begin(), pairs.end());
    } catch (const RecordError& error) {
      fault_ = error.what();
    }
  }

  LineReader lines_;
  std::string line_;
  bool monolingual_;
  GettextEntry entry_;
  std::optional<std::string> context_;
  std::string* part_ = nullptr;  // what a line of quoted text goes on with
  bool fuzzy_ = false;
  bool broken_ = false;
  bool header_read_ = false;
  std::string charset_;
  std::optional<CharsetConverter> converter_;
  int64_t entry_line_ = 0;
  int64_t pair_line_ = 0;
  std::deque<Pair> waiting_;
  std::string
      fault_;  // of an entry whose end was seen in the first line of the next, which is read first
};

}  // namespace

std::unique_ptr<PairReader> read_po(LineReader lines, const CorpusOptions& options) {
  return std::make_unique<PoReader>(std::move(lines), options.monolingual());
}

}  // namespace skein
