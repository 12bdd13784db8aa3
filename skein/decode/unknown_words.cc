#include "skein/decode/unknown_words.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "skein/text/spaceless_script.h"

namespace skein {
namespace {

// Where the text shows an unknown token.
struct Place {
  size_t begin = 0;
  size_t end = 0;
  size_t token = 0;
};

std::vector<Place> places_of_unknown(std::span<const int32_t> tokens, const Tokenizer& tokenizer,
                                     std::string_view text) {
  std::vector<Place> places;
  // That of SentencePiece has spaces around the mark.
  const std::string shown = tokenizer.decode(std::vector{kUnkId});
  if (shown.empty()) return places;
  size_t next = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    // A known piece may look like an unknown token.
    const std::string& piece = tokenizer.vocabulary().piece(tokens[i]);
    const bool unknown = tokens[i] == kUnkId;
    if (!unknown && piece.find(shown) == std::string::npos) continue;
    const size_t begin = text.find(shown, next);
    if (begin == std::string_view::npos) return places;
    next = begin + shown.size();
    if (unknown) places.push_back({begin, next, i});
  }
  return places;
}

// What replaces an unknown token.
struct Origin {
  std::string text = {};  // empty: nothing
  int64_t unit = -1;      // the same for what has the same origin; below -1: a token, not a word
};

Origin origin_of(size_t token, const UnknownWords& unknown) {
  const int32_t aligned = unknown.aligned[token];
  if (aligned < 0) return {};
  const int32_t number = unknown.source.of_tokens[static_cast<size_t>(aligned)];
  if (number < 0) return {};
  const std::string& word = unknown.source.words[static_cast<size_t>(number)];
  if (!has_spaceless_script(word)) return {unknown.dictionary.translate(word), number};
  const std::string& piece = unknown.source.pieces[static_cast<size_t>(aligned)];
  return {unknown.dictionary.translate(piece), -2 - int64_t{aligned}};
}

std::string replace_word(std::string_view word, std::span<const Place> places,
                         const UnknownWords& unknown) {
  for (const Place& place : places) {
    Origin origin = origin_of(place.token, unknown);
    if (!origin.text.empty()) return std::move(origin.text);
  }
  return std::string(word);
}

// `word` begins at `begin` of the text that places are of.
std::string replace_tokens(std::string_view word, size_t begin, std::span<const Place> places,
                           const UnknownWords& unknown) {
  std::string result;
  size_t done = 0;
  Origin before;
  for (const Place& place : places) {
    const size_t at = place.begin - begin;
    if (at > done) before = {};
    result += word.substr(done, at - done);
    done = place.end - begin;
    Origin origin = origin_of(place.token, unknown);
    if (origin.unit == before.unit && !origin.text.empty()) continue;
    if (origin.unit >= 0 && before.unit >= 0) result += ' ';
    result += origin.text.empty() ? kUnknownText : std::string_view(origin.text);
    before = std::move(origin);
  }
  result += word.substr(done);
  return result;
}

}  // namespace

bool has_unknown(std::span<const int32_t> tokens) {
  return std::find(tokens.begin(), tokens.end(), kUnkId) != tokens.end();
}

std::string replace_unknown(std::span<const int32_t> tokens, const Tokenizer& tokenizer,
                            const UnknownWords& unknown) {
  constexpr std::string_view kWhitespace = " \t\n\v\f\r";
  const std::string decoded = tokenizer.decode(tokens);
  const std::string_view text = decoded;
  const std::vector<Place> places = places_of_unknown(tokens, tokenizer, text);
  std::string result;
  size_t done = 0;
  for (auto first = places.begin(); first != places.end();) {
    const size_t begin =
        first->begin == 0 ? 0 : text.find_last_of(kWhitespace, first->begin - 1) + 1;
    size_t end = begin;
    auto last = first;
    for (; last == first || (last != places.end() && last->begin <= end); ++last) {
      end = std::min(text.find_first_of(kWhitespace, last->end), text.size());
    }
    const std::string_view word = text.substr(begin, end - begin);
    result += text.substr(done, begin - done);
    result += has_spaceless_script(word) ? replace_tokens(word, begin, {first, last}, unknown)
                                         : replace_word(word, {first, last}, unknown);
    done = end;
    first = last;
  }
  result += text.substr(done);
  return result;
}

}  // namespace skein
