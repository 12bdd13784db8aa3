#include "skein/data/corpus.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "skein/base/error.h"
#include "skein/data/readers.h"

namespace skein {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kCompressions = {"", ".gz", ".zst"};
constexpr std::array<std::string_view, 2> kTextEndings = {"", ".txt"};

// The ending that tells the format: of "memory.tmx.gz" it is ".tmx".
std::string format_ending(fs::path path) {
  if (path.extension() == ".gz" || path.extension() == ".zst") path.replace_extension();
  return path.extension().string();
}

// Null if the ending is that of no format.
std::unique_ptr<PairReader> open_by_ending(const fs::path& file, const CorpusOptions& options) {
  const std::string ending = format_ending(file);
  const std::string name = file.string();
  if (ending == ".tsv") return read_tsv(LineReader(file), options);
  if (ending == ".jsonl") return read_json_lines(LineReader(file), options);
  if (ending == ".po") return read_po(LineReader(file), options);
  if (ending == ".mo") return read_mo(open_stream(file), name, options);
  if (ending == ".tmx") return read_tmx(open_stream(file), name, options);
  return nullptr;
}

// PREFIX.LANG, also .txt, also .gz or .zst.
fs::path find_text(const fs::path& prefix, const std::string& language) {
  for (const std::string_view ending : kTextEndings) {
    for (const std::string_view compression : kCompressions) {
      const fs::path candidate =
          fmt::format("{}.{}{}{}", prefix.string(), language, ending, compression);
      if (fs::exists(candidate)) return candidate;
    }
  }
  throw FileError(fmt::format(
      "cannot find {0}.{1} or {0}.{1}.txt, plain, .gz or .zst; name a prefix before .{1}, or a "
      ".tsv, .tmx, .po, .mo or .jsonl file",
      prefix.string(), language));
}

}  // namespace

std::unique_ptr<PairReader> open_corpus(const fs::path& corpus, const CorpusOptions& options) {
  if (std::unique_ptr<PairReader> reader = open_by_ending(corpus, options)) return reader;
  if (!options.monolingual()) {
    // Both are looked for before either is read.
    const fs::path source = find_text(corpus, options.source_language);
    const fs::path target = find_text(corpus, options.target_language);
    return read_aligned_lines(LineReader(source), LineReader(target));
  }
  const bool is_file = fs::exists(corpus) && !fs::is_directory(corpus);
  return read_lines(LineReader(is_file ? corpus : find_text(corpus, options.target_language)));
}

}  // namespace skein
