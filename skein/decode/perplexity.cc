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
  if (options.tokens_at_once < 1) {
    throw UsageError(fmt::format("{} tokens are to be scored together; expected at least 1",
                                 options.tokens_at_once));
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
    }
    counts_.unknown += std::count(tokens.begin(), tokens.end(), kUnkId);
    ++counts_.words;
    split_words(line, [&](std::string_view) { ++counts_.words; });
  }

  // Cuts whole windows of what was added, and scores them if there are enough tokens of them: then
  // true, and there may be more.
  bool score_if_enough() {
    if (options_.context > 0) cut_windows();
    if (!enough()) return false;
    score();
    return true;
  }

  // At the end of the text: also what makes no whole window.
  void score_rest() {
    cut_rest();
    score();
  }

  PerplexityCounts& counts() { return counts_; }

 private:
  bool enough() const { return waiting_ >= static_cast<size_t>(options_.tokens_at_once); }

  void score() {
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

  void require_fits(const std::vector<int32_t>& tokens) const {
    if (std::ssize(tokens) <= model_.max_target_length()) return;
    throw FormatError(
        fmt::format("the line has {} tokens and the model has positions for {}; --context N reads "
                    "the text in windows of N tokens",
                    tokens.size() - 1, model_.max_target_length() - 1));
  }

  // Whole windows of the stream until there are enough; what they have in common with the next one
  // stays.
  void cut_windows() {
    const auto context = static_cast<size_t>(options_.context);
    const auto stride = static_cast<size_t>(options_.stride);
    for (; stream_.size() - begin_ >= context; begin_ += stride) {
      if (enough()) return;
      add_window(begin_, begin_ + context);
      before_ = stream_[begin_ + stride - 1];
      counted_ = context - stride;
    }
    stream_.erase(stream_.begin(), stream_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
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
  std::vector<int32_t> stream_;
  size_t begin_ = 0;         // where the next window begins in it
  int32_t before_ = kEosId;  // the token before that
  size_t counted_ = 0;       // tokens from there on that an earlier window counted
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
    while (measurement.score_if_enough()) {
      if (progress) progress(counts);
    }
  }
  measurement.score_rest();
  return counts;
}

}  // namespace skein
