#include "skein/decode/translate_stream.h"

#include <fmt/format.h>

#include <exception>
#include <utility>
#include <vector>

#include "skein/base/error.h"
#include "skein/decode/window_bytes.h"

namespace skein {
namespace {

struct Window {
  std::vector<TranslatedLine> lines;
  std::vector<EncodedLine> encoded;
  std::exception_ptr failure;  // ends the stream behind these lines
};

class Stream {
 public:
  Stream(SourceReader& reader, const Translator& translator, const StreamOptions& options)
      : reader_(reader), translator_(translator), options_(options) {}

  // False at the end. Waits for one line and takes what else is there.
  bool read(Window& window) {
    size_t bytes = 0;
    SourceLine line;
    do {
      if (!next(line, window)) return !window.lines.empty() || window.failure;
      bytes += line.source.size() + line.prefix.size();
      for (const std::string& constraint : line.constraints) bytes += constraint.size();
      add(std::move(line), window);
    } while (!window.failure && bytes < kWindowBytes &&
             static_cast<int64_t>(window.lines.size()) < options_.window && reader_.ready());
    return true;
  }

  // The lines up to the first without a translation, if that ends the stream.
  std::string translate(Window& window) {
    std::vector<Translation> translations = translator_.translate(window.encoded);
    std::string out;
    for (size_t i = 0; i < window.lines.size(); ++i) {
      TranslatedLine& line = window.lines[i];
      if (line.translation.error.empty()) line.translation = std::move(translations[i]);
      if (!line.translation.error.empty() && stops()) {
        window.failure = failure_at(line.source, LinePart::kSource, line.translation.error);
        return out;
      }
      count(line, window.encoded[i].text);
      append_translation(line, options_.style, translator_.target().vocabulary(), out);
    }
    return out;
  }

  const StreamCounts& counts() const { return counts_; }

 private:
  bool stops() const { return options_.on_bad_line == OnBadLine::kStop; }

  std::exception_ptr failure_at(const SourceLine& line, LinePart part,
                                const std::string& error) const {
    return std::make_exception_ptr(
        FormatError(fmt::format("{}:{}: {}; --on-error skip leaves such lines empty",
                                reader_.name(part), line.number, error)));
  }

  // Damage to the stream itself ends it, but not the lines before.
  bool next(SourceLine& line, Window& window) {
    try {
      return reader_.next(line);
    } catch (const Error&) {
      window.failure = std::current_exception();
      return false;
    }
  }

  void add(SourceLine line, Window& window) {
    EncodedLine encoded;
    std::string error = line.error;
    LinePart part = LinePart::kSource;
    try {
      if (error.empty()) encoded = translator_.encode(line);
    } catch (const LinePartError& reason) {
      error = reason.what();
      part = reason.part();
    } catch (const Error& reason) {
      error = reason.what();
    }
    if (!error.empty() && stops()) {
      window.failure = failure_at(line, part, error);
      return;
    }
    window.lines.push_back({std::move(line), {.error = std::move(error)}});
    window.encoded.push_back(std::move(encoded));
  }

  void count(const TranslatedLine& line, const SourceText& text) {
    const Translation& translation = line.translation;
    ++counts_.lines;
    counts_.skipped += translation.error.empty() ? 0 : 1;
    counts_.empty += translation.error.empty() && text.parts.empty() ? 1 : 0;
    counts_.split += text.parts.size() > 1 ? 1 : 0;
    counts_.truncated += text.truncated ? 1 : 0;
    counts_.unmet += translation.constraints_left_out ? 1 : 0;
    for (const SourcePart& part : text.parts) {
      counts_.source_tokens += static_cast<int64_t>(part.tokens.size());
    }
    if (translation.hypotheses.empty()) return;
    const Hypothesis& best = translation.hypotheses[0].search;
    counts_.cut += best.cut ? 1 : 0;
    counts_.shorter += is_shorter(best, text) ? 1 : 0;
    counts_.target_tokens += static_cast<int64_t>(best.tokens.size());
  }

  bool is_shorter(const Hypothesis& found, const SourceText& text) const {
    if (!translator_.options().search.match_source_length) return false;
    size_t wanted = 0;  // with an eos for each part, as what was found has
    for (const SourcePart& part : text.parts) wanted += part.tokens.size();
    return found.tokens.size() < wanted;
  }

  SourceReader& reader_;
  const Translator& translator_;
  const StreamOptions& options_;
  StreamCounts counts_;
};

}  // namespace

StreamCounts translate_stream(SourceReader& lines, const Translator& translator,
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
