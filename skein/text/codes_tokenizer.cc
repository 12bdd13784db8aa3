#include "skein/text/codes_tokenizer.h"

#include <algorithm>
#include <set>

#include "skein/base/error.h"
#include "skein/text/bpe_learn.h"
#include "skein/text/counter.h"
#include "skein/text/split_words.h"
#include "skein/text/utf8.h"

namespace skein {
namespace {

constexpr std::string_view kGoesOn = "@@";

// "@@" alone is a word.
bool goes_on(std::string_view piece) {
  return piece.size() > kGoesOn.size() && piece.ends_with(kGoesOn);
}

std::string piece_of(std::string_view part, bool last) {
  std::string piece(part);
  if (!last) piece += kGoesOn;
  return piece;
}

BpeCodes codes_of(const VocabularyFile& file) {
  std::string content;
  for (const std::string& line : file.section("codes").lines) content += line + "\n";
  return BpeCodes::parse(content, file.origin + ", section codes");
}

std::vector<std::string> lines_of(std::string_view content) {
  std::vector<std::string> lines;
  while (!content.empty()) {
    const size_t end = content.find('\n');
    lines.emplace_back(content.substr(0, end));
    content.remove_prefix(end == std::string_view::npos ? content.size() : end + 1);
  }
  return lines;
}

using WordCounts = std::vector<std::pair<std::string, int64_t>>;

// The parts that the codes cut the words into, most frequent first, then the characters that are no
// part yet, both within and at the end of a word: so a new word of known characters is never
// unknown.
std::vector<std::string> pieces_of(const WordCounts& words, const BpeCodes& codes,
                                   const LearnOptions& options) {
  Counter parts;
  std::set<std::string> characters;
  for (const auto& [word, count] : words) {
    for (const BpeCodes::Part& part : codes.split(word)) {
      parts.add(piece_of(part.text, part.text.end() == std::string_view(word).end()), count);
    }
    for (const std::string_view character : Characters(word)) {
      characters.insert(piece_of(character, true));
      characters.insert(piece_of(character, false));
    }
  }
  Vocabulary vocabulary;
  for (const std::string& symbol : options.symbols) vocabulary.add(symbol);
  std::vector<std::string> pieces;
  const auto add = [&](const std::string& piece) {
    if (vocabulary.add(piece)) pieces.push_back(piece);
  };
  for (const auto& [piece, count] : parts.sorted(options.minimum_count)) add(piece);
  for (const std::string& character : characters) add(character);
  return pieces;
}

std::unique_ptr<Tokenizer> learn_codes(const LearnOptions& options, const WordCounts& words) {
  if (words.empty()) throw FormatError("the text is empty; give text to learn the vocabulary from");
  const bool given = !options.codes.empty();
  const std::string content = given ? options.codes : learn_bpe_codes(words, options.size);
  if (!given && std::count(content.begin(), content.end(), '\n') < 2) {
    throw UsageError(
        "no two characters stand together twice in the text; give more text to learn codes from");
  }
  const BpeCodes codes =
      BpeCodes::parse(content, given ? options.codes_origin : "the learned codes");
  return std::make_unique<CodesTokenizer>(
      VocabularyFile{.type = "codes",
                     .normalization = options.normalization,
                     .sections = {{.name = "symbols", .lines = options.symbols},
                                  {.name = "pieces", .lines = pieces_of(words, codes, options)},
                                  {.name = "codes", .lines = lines_of(content)}},
                     .origin = "the learned vocabulary"});
}

}  // namespace

CodesTokenizer::CodesTokenizer(VocabularyFile vocabulary)
    : ListedTokenizer(std::move(vocabulary)), codes_(codes_of(file())) {}

std::unique_ptr<TextSummary> CodesTokenizer::summarize(const LearnOptions& options) {
  const std::set<std::string, std::less<>> symbols(options.symbols.begin(), options.symbols.end());
  const auto count = [symbols](std::string_view line, Counter& counter) {
    split_words(line, [&](std::string_view word) {
      if (symbols.find(word) == symbols.end()) counter.add(word);
    });
  };
  const auto learn = [options](const Counter& counter) {
    return learn_codes(options, counter.sorted());
  };
  return std::make_unique<CountSummary>(options, CountSummary::Steps{count, learn});
}

bool CodesTokenizer::is_symbol(std::string_view word) const {
  const std::vector<std::string>& symbols = file().section("symbols").lines;
  return std::find(symbols.begin(), symbols.end(), word) != symbols.end();
}

std::vector<std::string> CodesTokenizer::split(std::string_view text) const {
  std::vector<std::string> pieces;
  split_words(text, [&](std::string_view word) {
    if (is_symbol(word)) {
      pieces.emplace_back(word);
    } else {
      append_parts(word, 0, nullptr, pieces);
    }
  });
  return pieces;
}

void CodesTokenizer::append_parts(std::string_view word, double dropout, Random* random,
                                  std::vector<std::string>& pieces) const {
  for (const BpeCodes::Part& part : codes_.split(word, dropout, random)) {
    append_known(part, part.text.end() == word.end(), pieces);
  }
}

// Word by word; a word with an unknown piece stays as it is.
std::vector<int32_t> CodesTokenizer::resample(std::span<const int32_t> ids, double dropout,
                                              Random& random) const {
  std::vector<int32_t> sampled;
  std::string word;
  size_t begin = 0;
  bool known = true;
  for (size_t i = 0; i < ids.size(); ++i) {
    std::string_view piece = vocabulary().piece(ids[i]);
    known = known && ids[i] >= kSpecialTokens;
    const bool inside = goes_on(piece);
    if (inside) piece.remove_suffix(kGoesOn.size());
    word += piece;
    if (inside && i + 1 < ids.size()) continue;
    std::vector<std::string> pieces;
    // A part without its end is no word.
    if (known && !inside && !is_symbol(word)) append_parts(word, dropout, &random, pieces);
    if (pieces.empty()) {
      sampled.insert(sampled.end(), ids.begin() + static_cast<std::ptrdiff_t>(begin),
                     ids.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    } else {
      append_ids(pieces, sampled);
    }
    word.clear();
    begin = i + 1;
    known = true;
  }
  return sampled;
}

void CodesTokenizer::append_known(const BpeCodes::Part& part, bool last,
                                  std::vector<std::string>& pieces) const {
  std::string piece = piece_of(part.text, last);
  BpeCodes::Part left;
  BpeCodes::Part right;
  if (vocabulary().contains(piece) || !codes_.unmerge(part, left, right)) {
    pieces.push_back(std::move(piece));
    return;
  }
  // The end of word of version 0.1 is a part without text.
  append_known(left, last && right.text.empty(), pieces);
  if (!right.text.empty()) append_known(right, last, pieces);
}

std::vector<int32_t> CodesTokenizer::word_numbers(std::span<const std::string> pieces) const {
  std::vector<int32_t> numbers;
  int32_t word = 0;
  for (const std::string& piece : pieces) {
    numbers.push_back(word);
    word += goes_on(piece) ? 0 : 1;
  }
  return numbers;
}

std::string CodesTokenizer::decode(std::span<const int32_t> ids) const {
  std::string text;
  bool inside = true;
  for (const int32_t id : ids) {
    std::string_view piece = vocabulary().piece(id);
    if (id < kUnkId) continue;
    if (id == kUnkId) piece = kUnknownText;
    if (!inside) text += ' ';
    inside = goes_on(piece);
    if (inside) piece.remove_suffix(kGoesOn.size());
    text += piece;
  }
  return text;
}

}  // namespace skein
