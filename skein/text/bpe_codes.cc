#include "skein/text/bpe_codes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "skein/base/error.h"
#include "skein/text/utf8.h"

namespace skein {
namespace {

constexpr std::string_view kEndOfWord = "</w>";
constexpr std::string_view kVersionMark = "#version:";

std::string_view strip_end(std::string_view line) {
  const size_t last = line.find_last_not_of(" \r\n");
  return line.substr(0, last + 1);
}

std::vector<std::string_view> columns_of(std::string_view line) {
  std::vector<std::string_view> columns;
  while (true) {
    const size_t space = line.find(' ');
    columns.push_back(line.substr(0, space));
    if (space == std::string_view::npos) return columns;
    line.remove_prefix(space + 1);
  }
}

bool is_count(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Walks through a codes file; knows its version and the line it is at.
class CodesReader {
 public:
  CodesReader(std::string_view content, const std::string& origin)
      : rest_(content), origin_(origin) {
    if (rest_.starts_with(kVersionMark)) read_version();
  }

  // True if the end of word is a symbol of its own. Known after the first merge has been read.
  bool end_is_a_symbol() const { return version_ == "0.1" || (version_.empty() && columns_ == 2); }

  bool next(std::string& left, std::string& right) {
    if (rest_.empty()) return false;
    const std::string_view line = take_line();
    if (find_invalid_utf8(line) != std::string_view::npos)
      fail("the line is not UTF-8; convert the file");
    const std::vector<std::string_view> columns = columns_of(line);
    if (columns_ == 0) columns_ = columns.size();
    const bool with_count = columns.size() == 3 && is_count(columns[2]);
    if (columns.size() != columns_ || (columns.size() != 2 && !with_count) || columns[0].empty() ||
        columns[1].empty()) {
      fail(
          fmt::format("'{}' is no merge; two symbols, or two symbols and a count (in every line), "
                      "were expected",
                      line));
    }
    left = columns[0];
    right = columns[1];
    return true;
  }

 private:
  std::string_view take_line() {
    ++line_number_;
    const size_t end = rest_.find('\n');
    const std::string_view line = strip_end(rest_.substr(0, end));
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return line;
  }

  void read_version() {
    const std::string_view line = take_line().substr(kVersionMark.size());
    version_ = line.substr(std::min(line.size(), line.find_first_not_of(' ')));
    if (version_ != "0.1" && version_ != "0.2") {
      fail(fmt::format("codes of version '{}' were found; 0.1 or 0.2 was expected", version_));
    }
  }

  [[noreturn]] void fail(const std::string& reason) const {
    throw FormatError(fmt::format("{}:{}: {}", origin_, line_number_, reason));
  }

  std::string_view rest_;
  const std::string& origin_;
  size_t line_number_ = 0;
  size_t columns_ = 0;
  std::string version_;
};

uint64_t pair_key(int32_t left, int32_t right) {
  return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
}

std::string_view joined(std::string_view left, std::string_view right) {
  return {left.data(), left.size() + right.size()};
}

}  // namespace

BpeCodes BpeCodes::parse(std::string_view content, const std::string& origin) {
  BpeCodes codes;
  CodesReader reader(content, origin);
  std::string left;
  std::string right;
  while (reader.next(left, right)) codes.add_merge(left, right);
  if (codes.merges_.empty())
    throw FormatError(fmt::format("{}:1: the file holds no merges; is it a codes file?", origin));
  codes.end_is_a_symbol_ = reader.end_is_a_symbol();
  return codes;
}

int32_t BpeCodes::intern(const std::string& symbol) {
  const auto [position, inserted] =
      symbols_.emplace(symbol, static_cast<int32_t>(merged_from_.size()));
  if (inserted) {
    merged_from_.emplace_back(-1, -1);
    const bool ends_word = symbol.ends_with(kEndOfWord);
    text_lengths_.push_back(symbol.size() - (ends_word ? kEndOfWord.size() : 0));
  }
  return position->second;
}

// Of two equal merges the first counts, as in subword-nmt.
void BpeCodes::add_merge(const std::string& left, const std::string& right) {
  const int32_t left_symbol = intern(left);
  const int32_t right_symbol = intern(right);
  const int32_t result = intern(left + right);
  const auto rank = static_cast<int32_t>(merges_.size());
  const bool inserted =
      merges_.emplace(pair_key(left_symbol, right_symbol), Merge{rank, result}).second;
  auto& origin = merged_from_[static_cast<size_t>(result)];
  if (inserted && origin.first < 0) origin = {left_symbol, right_symbol};
}

const BpeCodes::Merge* BpeCodes::find_merge(const Part& left, const Part& right) const {
  if (left.symbol < 0 || right.symbol < 0) return nullptr;
  const auto found = merges_.find(pair_key(left.symbol, right.symbol));
  return found == merges_.end() ? nullptr : &found->second;
}

std::vector<BpeCodes::Part> BpeCodes::split(std::string_view word, double dropout,
                                            Random* random) const {
  const auto symbol_of = [this](const std::string& text) {
    const auto found = symbols_.find(text);
    return found == symbols_.end() ? -1 : found->second;
  };
  std::vector<Part> parts;
  for (const std::string_view character : Characters(word)) {
    const bool last = character.end() == word.end();
    std::string symbol(character);
    if (last && !end_is_a_symbol_) symbol += kEndOfWord;
    parts.push_back({character, symbol_of(symbol)});
  }
  if (end_is_a_symbol_)
    parts.push_back({word.substr(word.size()), symbol_of(std::string(kEndOfWord))});

  while (true) {
    int32_t best_rank = std::numeric_limits<int32_t>::max();
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      const Merge* merge = find_merge(parts[i], parts[i + 1]);
      if (merge == nullptr || merge->rank >= best_rank) continue;
      if (dropout > 0 && random->uniform() < dropout) continue;
      best_rank = merge->rank;
    }
    if (best_rank == std::numeric_limits<int32_t>::max()) break;
    // Every occurrence of the best pair is merged, from left to right.
    size_t kept = 0;
    for (size_t i = 0; i < parts.size(); ++i, ++kept) {
      const Merge* merge = i + 1 < parts.size() ? find_merge(parts[i], parts[i + 1]) : nullptr;
      if (merge != nullptr && merge->rank == best_rank) {
        parts[kept] = {joined(parts[i].text, parts[i + 1].text), merge->result};
        ++i;
      } else {
        parts[kept] = parts[i];
      }
    }
    parts.resize(kept);
  }
  if (parts.back().text.empty()) parts.pop_back();
  return parts;
}

bool BpeCodes::unmerge(const Part& part, Part& left, Part& right) const {
  if (part.symbol < 0) return false;
  const auto [left_symbol, right_symbol] = merged_from_[static_cast<size_t>(part.symbol)];
  if (left_symbol < 0) return false;
  const size_t left_length = text_lengths_[static_cast<size_t>(left_symbol)];
  const size_t right_length = text_lengths_[static_cast<size_t>(right_symbol)];
  // Differs only where a codes file spells </w> in parts.
  if (left_length + right_length != part.text.size()) return false;
  left = {part.text.substr(0, left_length), left_symbol};
  right = {part.text.substr(left_length), right_symbol};
  return true;
}

}  // namespace skein
