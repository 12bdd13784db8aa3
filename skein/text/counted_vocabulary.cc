#include "skein/text/counted_vocabulary.h"

#include <fmt/format.h>

#include "skein/base/error.h"

namespace skein {

VocabularyFile counted_vocabulary(const std::string& type, const LearnOptions& options,
                                  const Counter& counter) {
  Vocabulary vocabulary;
  for (const std::string& symbol : options.symbols) vocabulary.add(symbol);
  if (options.size <= vocabulary.size()) {
    throw UsageError(
        fmt::format("a vocabulary of {} pieces has no room beside {} special tokens and symbols; "
                    "choose a larger size",
                    options.size, vocabulary.size()));
  }
  VocabularyFile::Section pieces{.name = "pieces"};
  for (const auto& [piece, count] : counter.sorted(options.minimum_count)) {
    if (vocabulary.size() == options.size) break;
    if (vocabulary.add(piece)) pieces.lines.push_back(piece);
  }
  if (pieces.lines.empty()) {
    if (counter.sorted(1).empty()) {
      throw FormatError("the text is empty; give text to learn the vocabulary from");
    }
    throw UsageError(
        fmt::format("no piece occurs {} times in the text; give more text or a smaller minimum",
                    options.minimum_count));
  }
  return {.type = type,
          .normalization = options.normalization,
          .sections = {{.name = "symbols", .lines = options.symbols}, std::move(pieces)},
          .origin = "the learned vocabulary"};
}

}  // namespace skein
