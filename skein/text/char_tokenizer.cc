#include "skein/text/char_tokenizer.h"

#include "skein/text/counted_vocabulary.h"
#include "skein/text/counter.h"
#include "skein/text/utf8.h"

namespace skein {
namespace {

// Calls visit(piece) for each symbol and, between symbols, for each character.
template <typename Visit>
void visit_pieces(std::string_view text, const SymbolMatcher& symbols, Visit&& visit) {
  while (!text.empty()) {
    const size_t symbol = symbols.match(text);
    const size_t length = symbol > 0 ? symbol : utf8_length(text[0]);
    visit(text.substr(0, length));
    text.remove_prefix(length);
  }
}

}  // namespace

CharTokenizer::CharTokenizer(VocabularyFile vocabulary)
    : ListedTokenizer(std::move(vocabulary)), symbols_(file().section("symbols").lines) {}

std::unique_ptr<TextSummary> CharTokenizer::summarize(const LearnOptions& options) {
  const auto count = [symbols = SymbolMatcher(options.symbols)](std::string_view line,
                                                                Counter& counter) {
    visit_pieces(line, symbols, [&counter](std::string_view piece) { counter.add(piece); });
  };
  const auto learn = [options](const Counter& counter) {
    return std::make_unique<CharTokenizer>(counted_vocabulary("char", options, counter));
  };
  return std::make_unique<CountSummary>(options, CountSummary::Steps{count, learn});
}

std::vector<std::string> CharTokenizer::split(std::string_view text) const {
  std::vector<std::string> pieces;
  visit_pieces(text, symbols_, [&pieces](std::string_view piece) { pieces.emplace_back(piece); });
  return pieces;
}

// As split_words() parts them.
std::vector<int32_t> CharTokenizer::word_numbers(std::span<const std::string> pieces) const {
  constexpr std::string_view kWhitespace = " \t\n\v\f\r";
  std::vector<int32_t> numbers;
  int32_t word = -1;
  bool inside = false;
  for (const std::string& piece : pieces) {
    const bool between = piece.find_first_not_of(kWhitespace) == std::string::npos;
    if (!between && !inside) ++word;
    inside = !between;
    numbers.push_back(between ? -1 : word);
  }
  return numbers;
}

std::string CharTokenizer::decode(std::span<const int32_t> ids) const {
  std::string text;
  for (const int32_t id : ids) {
    const std::string& piece = vocabulary().piece(id);
    if (id < kUnkId) continue;
    text += id == kUnkId ? kUnknownText : std::string_view(piece);
  }
  return text;
}

}  // namespace skein
