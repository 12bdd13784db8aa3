#include "skein/decode/source_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "skein/base/error.h"
#include "skein/base/registry.h"
#include "skein/text/utf8.h"

namespace skein {
namespace {

// How well a text can be cut in front of a character, worst first.
enum class Cut { kAnywhere, kSpace, kClause, kSentence };

bool contains(std::u32string_view characters, char32_t character) {
  return characters.find(character) != std::u32string_view::npos;
}

bool is_space(char32_t c) { return contains(U" \t\u00a0\u3000", c); }

// Scripts that end a sentence by a mark of full width put no space behind it.
Cut cut_between(char32_t before, char32_t after) {
  if (contains(U"。！？", before)) return Cut::kSentence;
  if (contains(U"，；：、", before)) return Cut::kClause;
  if (!is_space(after)) return Cut::kAnywhere;
  if (contains(U".!?…।۔؟", before)) return Cut::kSentence;
  if (contains(U",;:)–—،؛", before)) return Cut::kClause;
  return Cut::kSpace;
}

// The byte offset in (0, size) of the best cut of the middle half; of equal ones the most central.
// Requires at least two characters.
size_t cutting_point(std::string_view text) {
  const auto from_middle = [&](size_t offset) {
    return std::abs(static_cast<int64_t>(2 * offset) - static_cast<int64_t>(text.size()));
  };
  size_t best = 0;
  Cut best_cut = Cut::kAnywhere;
  char32_t before = 0;
  size_t offset = 0;
  for (const std::string_view character : Characters(text)) {
    const char32_t here = decode_utf8(character);
    if (offset > 0) {
      const bool central = from_middle(offset) <= static_cast<int64_t>(text.size()) / 2;
      const Cut cut = central ? cut_between(before, here) : Cut::kAnywhere;
      const bool nearer = best == 0 || from_middle(offset) < from_middle(best);
      if (cut > best_cut || (cut == best_cut && nearer)) {
        best = offset;
        best_cut = cut;
      }
    }
    before = here;
    offset += character.size();
  }
  return best;
}

std::string_view without_leading_space(std::string_view text) {
  while (!text.empty() && is_space(decode_utf8(text.substr(0, utf8_length(text[0]))))) {
    text.remove_prefix(utf8_length(text[0]));
  }
  return text;
}

class Splitter {
 public:
  Splitter(const Tokenizer& tokenizer, int64_t max_length, LongLines policy)
      : tokenizer_(tokenizer), max_words_(static_cast<size_t>(max_length - 1)), policy_(policy) {}

  void add(std::string_view text, bool space_before, SourceText& to) const {
    if (without_leading_space(text).empty()) return;
    std::vector<int32_t> tokens;
    tokenizer_.encode(text, tokens);
    if (tokens.empty()) return;
    const bool cut = tokens.size() > max_words_;
    if (cut) {
      require_allowed(tokens.size());
      const bool single = text.size() == utf8_length(text[0]);
      if (policy_ == LongLines::kSplit && !single) return halve(text, space_before, to);
      tokens.resize(max_words_);
      to.truncated = true;
    }
    tokens.push_back(kEosId);
    to.parts.push_back({std::string(text), std::move(tokens), space_before, cut});
  }

 private:
  void require_allowed(size_t tokens) const {
    if (policy_ != LongLines::kRefuse) return;
    throw Error(
        fmt::format("the line has {} tokens and the model has positions for {}; split it, or let "
                    "--on-long split or truncate do so",
                    tokens, max_words_));
  }

  void halve(std::string_view text, bool space_before, SourceText& to) const {
    const size_t cut = cutting_point(text);
    const std::string_view second = without_leading_space(text.substr(cut));
    add(text.substr(0, cut), space_before, to);
    add(second, second.size() < text.size() - cut, to);
  }

  const Tokenizer& tokenizer_;
  size_t max_words_;
  LongLines policy_;
};

}  // namespace

LongLines long_lines_from_name(std::string_view name) {
  static const Registry<LongLines> known = [] {
    Registry<LongLines> names("way with long lines");
    names.add("split", LongLines::kSplit);
    names.add("truncate", LongLines::kTruncate);
    names.add("refuse", LongLines::kRefuse);
    return names;
  }();
  return known.get(name);
}

SourceText encode_source(std::string_view line, const Tokenizer& tokenizer, int64_t max_length,
                         LongLines policy) {
  require_utf8(line);
  SourceText text;
  Splitter(tokenizer, max_length, policy).add(line, false, text);
  return text;
}

}  // namespace skein
