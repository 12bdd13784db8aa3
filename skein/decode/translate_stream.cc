#include "skein/decode/translate_stream.h"

#include <fmt/format.h>

#include <exception>
#include <utility>
#include <vector>

#include "skein/base/error.h"

namespace skein {
namespace {

// A window of long lines ends before its number of lines is reached.
constexpr size_t kWindowBytes = size_t{1} << 22;

struct Window {
  std::vector<TranslatedLine> lines;
  std::vector<SourceText> texts;
  std::exception_ptr failure;  // ends the stream behind these lines
};

class Stream {
 public:
  Stream(LineReader& reader, const Translator& translator, const StreamOptions& options)
      : reader_(reader), translator_(translator), options_(options) {}

  // False at the end. Waits for one line and takes what else is there.
  bool read(Window& window) {
    size_t bytes = 0;
    std::string line;
    do {
      if (!next(line, window)) return !window.lines.empty() || window.failure;
      bytes += line.size();
      add(std::move(line), window);
    } while (!window.failure && bytes < kWindowBytes &&
             static_cast<int64_t>(window.lines.size()) < options_.window && reader_.ready());
    return true;
  }

  std::string translate(Window& window) {
    std::vector<Translation> translations = translator_.translate(window.texts);
    std::string out;
    for (size_t i = 0; i < window.lines.size(); ++i) {
      TranslatedLine& line = window.lines[i];
      if (line.error.empty()) line.translation = std::move(translations[i]);
      count(line, window.texts[i]);
      append_translation(line, options_.format, translator_.target().vocabulary(), out);
    }
    return out;
  }

  const StreamCounts& counts() const { return counts_; }

 private:
  // Damage to the stream itself ends it, but not the lines before.
  bool next(std::string& line, Window& window) {
    try {
      return reader_.next(line);
    } catch (const Error&) {
      window.failure = std::current_exception();
      return false;
    }
  }

  void add(std::string line, Window& window) {
    SourceText text;
    std::string error;
    try {
      text = translator_.encode(line);
    } catch (const Error& reason) {
      error = reason.what();
      if (options_.on_bad_line == OnBadLine::kStop) {
        window.failure = std::make_exception_ptr(FormatError(fmt::format(
            "{}: {}; --on-error skip leaves such lines empty", reader_.where(), error)));
        return;
      }
    }
    window.lines.push_back({reader_.line_number(), std::move(line), {}, std::move(error)});
    window.texts.push_back(std::move(text));
  }

  void count(const TranslatedLine& line, const SourceText& text) {
    ++counts_.lines;
    counts_.skipped += line.error.empty() ? 0 : 1;
    counts_.empty += line.error.empty() && text.parts.empty() ? 1 : 0;
    counts_.split += text.parts.size() > 1 ? 1 : 0;
    counts_.truncated += text.truncated ? 1 : 0;
    for (const SourcePart& part : text.parts) {
      counts_.source_tokens += static_cast<int64_t>(part.tokens.size());
    }
    if (line.translation.hypotheses.empty()) return;
    const Hypothesis& best = line.translation.hypotheses[0].search;
    counts_.cut += best.cut ? 1 : 0;
    counts_.target_tokens += static_cast<int64_t>(best.tokens.size());
  }

  LineReader& reader_;
  const Translator& translator_;
  const StreamOptions& options_;
  StreamCounts counts_;
};

}  // namespace

StreamCounts translate_stream(LineReader& lines, const Translator& translator,
                              const StreamOptions& options,
                              const std::function<void(std::string_view)>& write,
                              const std::function<void(const StreamCounts&)>& progress) {
  Stream stream(lines, translator, options);
  for (;;) {
    Window window;
    if (!stream.read(window)) break;
    write(stream.translate(window));
    if (progress) progress(stream.counts());
    if (window.failure) std::rethrow_exception(window.failure);
  }
  return stream.counts();
}

}  // namespace skein
