#include "skein/text/tokenizers.h"

#include <fmt/format.h>

#include <limits>
#include <set>

#include "skein/base/error.h"
#include "skein/base/files.h"
#include "skein/text/char_tokenizer.h"
#include "skein/text/codes_tokenizer.h"
#include "skein/text/sentencepiece_tokenizer.h"
#include "skein/text/utf8.h"
#include "skein/text/vocabulary_file.h"
#include "skein/text/word_tokenizer.h"

namespace skein {
namespace {

// A kind that learns from a summary.
TokenizerKind summarizing_kind(
    const std::function<std::unique_ptr<TextSummary>(const LearnOptions&)>& summarize,
    decltype(TokenizerKind::load) load) {
  return {.learn = [summarize](
                       const LearnOptions& options,
                       const LineSource& lines) { return learn_from(*summarize(options), lines); },
          .load = std::move(load),
          .summarize = summarize};
}

TokenizerKind sentencepiece_kind(const std::string& type) {
  return summarizing_kind(
      [type](const LearnOptions& options) {
        return SentencePieceTokenizer::summarize(type, options);
      },
      SentencePieceTokenizer::load);
}

// A kind whose vocabulary is the text form.
template <typename Type>
TokenizerKind listed_kind() {
  return summarizing_kind(Type::summarize, [](std::string_view content, const std::string& origin) {
    return std::make_unique<Type>(VocabularyFile::parse(content, origin));
  });
}

void require_range(const char* what, double value, double minimum, double maximum) {
  if (value >= minimum && value <= maximum) return;
  throw UsageError(fmt::format("{} is {}, expected {} to {}", what, value, minimum, maximum));
}

void require_symbols(const std::vector<std::string>& symbols) {
  std::set<std::string_view> seen;
  for (const std::string& symbol : symbols) {
    if (symbol.empty() || symbol.find_first_of(" \t\n\v\f\r,\"") != std::string::npos ||
        find_invalid_utf8(symbol) != std::string::npos) {
      throw UsageError(fmt::format(
          "the symbol '{}' is empty or holds whitespace, a comma, a quote or bytes that "
          "are not UTF-8; choose another, such as <2de>",
          symbol));
    }
    if (is_special_token(symbol)) {
      throw UsageError(
          fmt::format("the symbol '{}' is a special token already; choose another", symbol));
    }
    if (!seen.insert(symbol).second) {
      throw UsageError(fmt::format("the symbol '{}' is given twice; give it once", symbol));
    }
  }
}

void require_sensible(const LearnOptions& options) {
  require_range("the size of the vocabulary", static_cast<double>(options.size), 1, 10'000'000);
  // Below 0.98 every fiftieth character would be unknown; SentencePiece refuses it.
  require_range("the character coverage", options.character_coverage, 0.98, 1.0);
  require_range("the sample size in bytes", static_cast<double>(options.sample_bytes), 0,
                std::numeric_limits<int32_t>::max());
  require_range("the minimum count", static_cast<double>(options.minimum_count), 1,
                static_cast<double>(std::numeric_limits<int32_t>::max()));
  require_symbols(options.symbols);
}

}  // namespace

Registry<TokenizerKind>& tokenizers() {
  static Registry<TokenizerKind> registry = [] {
    Registry<TokenizerKind> built_in("tokenizer");
    built_in.add("unigram", sentencepiece_kind("unigram"));
    built_in.add("bpe", sentencepiece_kind("bpe"));
    built_in.add("word", listed_kind<WordTokenizer>());
    built_in.add("char", listed_kind<CharTokenizer>());
    built_in.add("codes", listed_kind<CodesTokenizer>());
    return built_in;
  }();
  return registry;
}

std::unique_ptr<Tokenizer> learn_tokenizer(const std::string& type, const LearnOptions& options,
                                           const LineSource& lines) {
  const TokenizerKind& kind = tokenizers().get(type);
  require_sensible(options);
  return kind.learn(options, [&](std::string& line) {
    if (!lines(line)) return false;
    line = normalized_line(line, options);
    return true;
  });
}

std::unique_ptr<TextSummary> start_summary(const std::string& type, const LearnOptions& options) {
  const TokenizerKind& kind = tokenizers().get(type);
  require_sensible(options);
  return kind.summarize ? kind.summarize(options) : nullptr;
}

std::string normalized_line(std::string_view line, const LearnOptions& options) {
  require_utf8(line);
  return normalize(line, options.normalization);
}

std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& path) {
  const std::string content = read_file(path);
  const std::string type = VocabularyFile::type_of(content);
  if (type.empty()) return SentencePieceTokenizer::load(content, path.string());
  if (!tokenizers().contains(type)) {
    throw FormatError(fmt::format(
        "{}:1: there is no tokenizer '{}'; if a plug-in defines it, load it with --plugin",
        path.string(), type));
  }
  return tokenizers().get(type).load(content, path.string());
}

}  // namespace skein
