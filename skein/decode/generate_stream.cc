#include "skein/decode/generate_stream.h"

#include <fmt/format.h>

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "skein/base/error.h"
#include "skein/decode/translation_format.h"
#include "skein/decode/window_bytes.h"

namespace skein {
namespace {

using Write = std::function<void(std::string_view)>;

class Stream {
 public:
  Stream(LineReader& reader, const Generator& generator, const GenerateStreamOptions& options,
         const Write& write)
      : reader_(reader), generator_(generator), options_(options), write_(write) {}

  void run() {
    while (read()) {
      if (options_.growing) {
        write_growing();
      } else {
        write_together();
      }
      if (failure_) std::rethrow_exception(failure_);
    }
  }

  const GenerateCounts& counts() const { return counts_; }

 private:
  struct Line {
    std::string text;
    Prompt prompt;
    std::string error;
  };

  // False at the end. Waits for one prompt and takes what else is there.
  bool read() {
    lines_.clear();
    const int64_t most = options_.growing ? 1 : options_.window;
    size_t bytes = 0;
    try {
      do {
        std::string text;
        if (!reader_.next(text)) break;
        bytes += text.size();
        add(std::move(text));
      } while (!failure_ && std::ssize(lines_) < most && bytes < kWindowBytes && reader_.ready());
    } catch (const Error&) {
      failure_ = std::current_exception();
    }
    return !lines_.empty() || failure_;
  }

  void add(std::string text) {
    Line line{.text = std::move(text), .prompt = {}, .error = {}};
    try {
      line.prompt = generator_.encode(line.text, reader_.line_number());
    } catch (const Error& reason) {
      line.error = reason.what();
      line.prompt.number = reader_.line_number();
      if (stop_at(line)) return;
    }
    lines_.push_back(std::move(line));
  }

  // Whether the line's error ends the stream.
  bool stop_at(const Line& line) {
    if (options_.on_bad_line == OnBadLine::kSkip) return false;
    failure_ = std::make_exception_ptr(
        FormatError(fmt::format("{}:{}: {}; --on-error skip leaves such lines empty",
                                reader_.name(), line.prompt.number, line.error)));
    return true;
  }

  void write_growing() {
    const auto write_part = [&](std::string_view text) { write_(on_one_line(std::string(text))); };
    for (const Line& line : lines_) {
      if (line.error.empty()) generator_.generate(line.prompt, write_part);
      write_("\n");
      count(line);
    }
  }

  void write_together() {
    std::vector<Prompt> prompts;
    for (const Line& line : lines_) {
      if (line.error.empty()) prompts.push_back(line.prompt);
    }
    auto found = generator_.generate(prompts);
    std::string out;
    size_t next = 0;
    for (Line& line : lines_) {
      std::vector<GeneratedText> texts;
      if (line.error.empty()) {
        texts = std::move(found[next++]);
        if (texts.empty()) line.error = generator_.unmet(line.prompt);
        if (texts.empty() && stop_at(line)) break;
      }
      count(line);
      counts_.unmet += !texts.empty() && texts[0].constraints_left_out ? 1 : 0;
      append(line, texts, out);
    }
    write_(out);
  }

  void append(const Line& line, std::vector<GeneratedText>& texts, std::string& out) const {
    TranslatedLine written{.source = {.number = line.prompt.number, .source = line.text},
                           .translation = {.error = line.error}};
    for (GeneratedText& each : texts) {
      written.translation.hypotheses.push_back({std::move(each.text), std::move(each.search)});
    }
    append_translation(written, {.format = options_.format, .source_key = "prompt"},
                       generator_.tokenizer().vocabulary(), out);
  }

  void count(const Line& line) {
    ++counts_.prompts;
    counts_.skipped += line.error.empty() ? 0 : 1;
    counts_.truncated += line.prompt.truncated ? 1 : 0;
    counts_.tokens += std::ssize(line.prompt.tokens);
    counts_.unknown += line.prompt.unknown;
  }

  LineReader& reader_;
  const Generator& generator_;
  const GenerateStreamOptions& options_;
  const Write& write_;
  std::vector<Line> lines_;
  std::exception_ptr failure_;
  GenerateCounts counts_;
};

}  // namespace

GenerateCounts generate_stream(LineReader& prompts, const Generator& generator,
                               const GenerateStreamOptions& options,
                               const std::function<void(std::string_view)>& write) {
  Stream stream(prompts, generator, options, write);
  stream.run();
  return stream.counts();
}

}  // namespace skein
