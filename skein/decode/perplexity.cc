#include "skein/decode/perplexity.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "skein/base/error.h"
#include "skein/decode/batched_scores.h"
#include "skein/text/split_words.h"

namespace skein {
namespace {

// Tokens that are collected before they are scored together.
constexpr size_t kTokensAtOnce = size_t{1} << 18;

void require_valid(const PerplexityOptions& options, const Model& model) {
  if (model.has_source()) {
    throw UsageError(
        "this model translates: text by itself has no probability; `skein score` scores "
        "translations");
  }
  const int64_t longest = model.max_target_length();
  if (options.context < 0 || options.context > longest) {
    throw UsageError(fmt::format("a context of {} tokens; expected 1 to the model's {} positions",
                                 options.context, longest));
  }
  if (options.stride < 0 || options.stride > options.context) {
    throw UsageError(fmt::format("a stride of {} tokens; expected 1 to the context of {}",
                                 options.stride, options.context));
  }
}

// A text to be scored, of which only the last `counted` tokens count.
struct Window {
  int32_t before = kEosId;
  std::vector<int32_t> tokens;
  size_t counted = 0;
};

class Measurement {
 public:
  Measurement(const Model& model, const Tokenizer& tokenizer, const PerplexityOptions& options)
      : model_(model), tokenizer_(tokenizer), options_(options) {
    if (options_.stride == 0) options_.stride = options_.context;
  }

  void add(const std::string& line) {
    std::vector<int32_t> tokens;
    tokenizer_.encode(line, tokens);
    tokens.push_back(kEosId);
    if (options_.context == 0) {
      require_fits(tokens);
      waiting_ += tokens.size();
      windows_.push_back({kEosId, tokens, tokens.size()});
    } else {
      stream_.insert(stream_.end(), tokens.begin(), tokens.end());
      cut_windows();
    }
    counts_.unknown += std::count(tokens.begin(), tokens.end(), kUnkId);
    ++counts_.words;
    split_words(line, [&](std::string_view) { ++counts_.words; });
  }

  bool full() const { return waiting_ >= kTokensAtOnce; }

  // Scores what was added; at the end of the text also what makes no whole window.
  void score(bool at_end) {
    if (at_end) cut_rest();
    std::vector<ScoreRequest> requests;
    for (const Window& window : windows_) {
      requests.push_back({.target = window.tokens, .before = window.before});
    }
    const std::vector<SentenceScore> scores =
        batched_scores(model_, requests, options_.batch_tokens);
    for (size_t i = 0; i < scores.size(); ++i) {
      const std::vector<float>& each = scores[i].token_scores;
      for (size_t t = each.size() - windows_[i].counted; t < each.size(); ++t) {
        counts_.log_probability += each[t];
      }
      counts_.tokens += static_cast<int64_t>(windows_[i].counted);
    }
    windows_.clear();
    waiting_ = 0;
  }

  PerplexityCounts& counts() { return counts_; }

 private:
  void require_fits(const std::vector<int32_t>& tokens) const {
    if (std::ssize(tokens) <= model_.max_target_length()) return;
    throw FormatError(
        fmt::format("the line has {} tokens and the model has positions for {}; --context N reads "
                    "the text in windows of N tokens",
                    tokens.size() - 1, model_.max_target_length() - 1));
  }

  // Whole windows of the stream; what they have in common with the next one stays.
  void cut_windows() {
    const auto context = static_cast<size_t>(options_.context);
    const auto stride = static_cast<size_t>(options_.stride);
    size_t begin = 0;
    for (; stream_.size() - begin >= context; begin += stride) {
      add_window(begin, begin + context);
      before_ = stream_[begin + stride - 1];
      counted_ = context - stride;
    }
    stream_.erase(stream_.begin(), stream_.begin() + static_cast<std::ptrdiff_t>(begin));
  }

  void cut_rest() {
    if (stream_.size() > counted_) add_window(0, stream_.size());
    stream_.clear();
  }

  void add_window(size_t begin, size_t end) {
    const std::span tokens = std::span(stream_).subspan(begin, end - begin);
    windows_.push_back({before_, {tokens.begin(), tokens.end()}, tokens.size() - counted_});
    waiting_ += tokens.size();
  }

  const Model& model_;
  const Tokenizer& tokenizer_;
  PerplexityOptions options_;
  // The stream from where the next window begins.
  std::vector<int32_t> stream_;
  int32_t before_ = kEosId;  // the token before it
  size_t counted_ = 0;       // its tokens that an earlier window counted
  std::vector<Window> windows_;
  size_t waiting_ = 0;
  PerplexityCounts counts_;
};

}  // namespace

PerplexityCounts perplexity(LineReader& lines, const Model& model, const Tokenizer& tokenizer,
                            const PerplexityOptions& options,
                            const std::function<void(const PerplexityCounts&)>& progress) {
  require_valid(options, model);
  Measurement measurement(model, tokenizer, options);
  PerplexityCounts& counts = measurement.counts();
  std::string line;
  while (lines.next(line)) {
    ++counts.lines;
    try {
      measurement.add(line);
    } catch (const Error& reason) {
      if (options.on_bad_line == OnBadLine::kStop) {
        throw FormatError(fmt::format("{}: {}; --on-error skip leaves such lines out",
                                      lines.where(), reason.what()));
      }
      ++counts.skipped;
    }
    if (!measurement.full()) continue;
    measurement.score(false);
    if (progress) progress(counts);
  }
  measurement.score(true);
  return counts;
}

}  // namespace skein
