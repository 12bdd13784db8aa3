// Layout: GNU gettext manual, "The Format of GNU MO Files".
#include <fmt/format.h>

#include <cstring>
#include <deque>
#include <optional>
#include <string_view>
#include <utility>

#include "skein/data/charset.h"
#include "skein/data/gettext_entry.h"
#include "skein/data/readers.h"
#include "skein/data/record.h"

namespace skein {
namespace {

constexpr size_t kMostBytes = size_t{1} << 28;
constexpr uint32_t kMagic = 0x950412de;
constexpr size_t kHeaderBytes = 20;
constexpr char kContextEnd = '\x04';

uint32_t swapped(uint32_t value) {
  return value << 24 | (value & 0xff00) << 8 | (value >> 8 & 0xff00) | value >> 24;
}

class MoReader : public PairReader {
 public:
  MoReader(std::unique_ptr<ByteStream> stream, std::string name, bool monolingual)
      : name_(std::move(name)),
        bytes_(read_all(*stream, name_, kMostBytes)),
        monolingual_(monolingual) {
    if (bytes_.size() < kHeaderBytes) refuse("too short for a .mo file");
    swap_ = word(0) != kMagic;
    if (word(0) != kMagic) refuse("not a .mo file");
    // Minor revisions add strings that depend on the system; those that all share stay as they are.
    if (word(4) >> 16 > 1)
      refuse(fmt::format("major revision {} of .mo files, 0 and 1 are known", word(4) >> 16));
    count_ = word(8);
    ids_ = word(12);
    translations_ = word(16);
    check_table(ids_);
    check_table(translations_);
  }

  bool next(Pair& pair) override {
    while (waiting_.empty()) {
      if (index_ == count_) return false;
      const size_t index = index_++;
      read_entry(string_at(ids_, index), string_at(translations_, index));
    }
    pair = std::move(waiting_.front());
    waiting_.pop_front();
    return true;
  }

  std::string where() const override { return fmt::format("{}: string {}", name_, index_); }

 private:
  [[noreturn]] void refuse(const std::string& fault) const {
    throw FormatError(
        fmt::format("{}: {}; make it again with msgfmt or fetch it again", name_, fault));
  }

  uint32_t word(size_t position) const {
    uint32_t value = 0;
    std::memcpy(&value, bytes_.data() + position, sizeof(value));
    return swap_ ? swapped(value) : value;
  }

  void check_table(size_t position) const {
    if (position > bytes_.size() || count_ > (bytes_.size() - position) / 8) {
      refuse(fmt::format("{} strings are announced, but the file ends before their table", count_));
    }
  }

  std::string_view string_at(size_t table, size_t index) const {
    const size_t length = word(table + index * 8);
    const size_t position = word(table + index * 8 + 4);
    if (position > bytes_.size() || length > bytes_.size() - position) {
      refuse(fmt::format("string {} lies outside the file", index + 1));
    }
    return std::string_view(bytes_).substr(position, length);
  }

  void read_entry(std::string_view id, std::string_view translation) {
    if (id.empty()) {
      read_header(translation);
      return;
    }
    // "context EOT msgid NUL msgid_plural"; "form NUL form NUL ..."
    if (const size_t context = id.find(kContextEnd); context != std::string_view::npos) {
      id.remove_prefix(context + 1);
    }
    internal::GettextEntry entry;
    const size_t plural = id.find('\0');
    entry.id = as_utf8(id.substr(0, plural));
    if (plural != std::string_view::npos) entry.plural_id = as_utf8(id.substr(plural + 1));
    for (size_t begin = 0; begin <= translation.size();) {
      const size_t end = std::min(translation.find('\0', begin), translation.size());
      entry.forms.push_back(as_utf8(translation.substr(begin, end - begin)));
      begin = end + 1;
    }
    if (!internal::append_pairs(entry, monolingual_, waiting_)) ++left_out_["untranslated"];
  }

  void read_header(std::string_view header) {
    const std::string charset = internal::charset_of_header(header);
    converter_.reset();
    if (charset == "UTF-8" || charset == "utf-8") return;
    try {
      converter_.emplace(charset);
    } catch (const FormatError& error) {
      throw FormatError(fmt::format("{}: {}", name_, error.what()));
    }
  }

  std::string as_utf8(std::string_view text) {
    std::string converted(text);
    if (converter_ && !converter_->to_utf8(text, converted)) {
      throw RecordError(
          fmt::format("{}: not text in the charset of the header; leave such strings out with "
                      "--on-error skip",
                      where()));
    }
    internal::require_utf8_record(converted, where());
    return converted;
  }

  std::string name_;
  std::string bytes_;
  bool monolingual_;
  bool swap_ = false;
  size_t count_ = 0;
  size_t ids_ = 0;
  size_t translations_ = 0;
  size_t index_ = 0;
  std::optional<CharsetConverter> converter_;
  std::deque<Pair> waiting_;
};

}  // namespace

std::unique_ptr<PairReader> read_mo(std::unique_ptr<ByteStream> stream, std::string name,
                                    const CorpusOptions& options) {
  return std::make_unique<MoReader>(std::move(stream), std::move(name), options.monolingual());
}

}  // namespace skein
