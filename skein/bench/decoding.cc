#include "skein/bench/decoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "skein/base/error.h"
#include "skein/base/progress.h"
#include "skein/bench/measure.h"
#include "skein/decode/batched_search.h"
#include "skein/decode/model_scorer.h"
#include "skein/tensor/arena.h"

namespace skein {
namespace {

using Found = std::vector<std::vector<Hypothesis>>;  // [sentences][1]

void require_valid(const DecodingBenchmark& benchmark) {
  const auto require = [](const char* what, int64_t value) {
    if (value >= 1) return;
    throw UsageError(fmt::format("{} is {}; expected at least 1", what, value));
  };
  require("the number of runs", benchmark.runs);
  require("the number of sentences translated alone", benchmark.alone);
  require("the beam", benchmark.beam);
  require("the batches' number of tokens", benchmark.batch_tokens);
}

// The same search, again and again.
class Search {
 public:
  Search(const Model& model, const SentencesToTranslate& sentences,
         const DecodingBenchmark& benchmark)
      : model_(model), batches_{.tokens = benchmark.batch_tokens} {
    for (size_t i = 0; i < sentences.sources.size(); ++i) {
      require_length(i, sentences.sources[i].size(), model.max_source_length());
      sources_.emplace_back(sentences.sources[i]);
      options_.push_back({.beam = benchmark.beam});
      if (sentences.target_lengths.empty()) continue;
      force_length(i, sentences.target_lengths[i]);
    }
  }

  size_t sentences() const { return sources_.size(); }

  Found run() const { return run(0, sources_.size()); }

  Found run(size_t first, size_t count) const {
    return batched_search([&] { return std::make_unique<ModelScorer>(model_); },
                          std::span(sources_).subspan(first, count),
                          std::span(options_).subspan(first, count), batches_);
  }

 private:
  void force_length(size_t sentence, int64_t length) {
    require_length(sentence, static_cast<size_t>(length) + 1, model_.max_target_length());
    options_[sentence].min_length = length;
    options_[sentence].max_length_a = 0;
    options_[sentence].max_length_b = static_cast<double>(length);
  }

  static void require_length(size_t sentence, size_t length, int64_t most) {
    if (static_cast<int64_t>(length) <= most) return;
    throw UsageError(fmt::format("sentence {} has {} tokens; the model takes at most {}",
                                 sentence + 1, length, most));
  }

  const Model& model_;
  BatchOptions batches_;
  std::vector<std::span<const int32_t>> sources_;
  std::vector<SearchOptions> options_;  // one a sentence
};

double latency(const Search& search, int64_t alone) {
  const size_t count = std::min(static_cast<size_t>(alone), search.sentences());
  std::vector<double> seconds;
  for (size_t i = 0; i < count; ++i) {
    const double begin = seconds_now();
    search.run(i * search.sentences() / count, 1);
    seconds.push_back(seconds_now() - begin);
  }
  return median(seconds);
}

struct Best {
  std::vector<std::vector<int32_t>> hypotheses;  // without eos
  double tokens = 0;                             // eos counted
  double log_probability = 0;                    // the tokens' sum
};

Best best_of(const Found& found) {
  Best best;
  for (const std::vector<Hypothesis>& hypotheses : found) {
    const std::vector<int32_t>& tokens = hypotheses[0].tokens;
    best.hypotheses.emplace_back(tokens.begin(), tokens.end() - 1);
    best.tokens += static_cast<double>(tokens.size());
    for (const float score : hypotheses[0].token_scores) best.log_probability += score;
  }
  return best;
}

}  // namespace

DecodingSpeed measure_decoding(const Model& model, const SentencesToTranslate& sentences,
                               const DecodingBenchmark& benchmark) {
  require_valid(benchmark);
  const Search search(model, sentences, benchmark);
  Best best = best_of(search.run());
  std::vector<double> seconds;
  for (int64_t run = 0; run < benchmark.runs; ++run) {
    const double begin = seconds_now();
    search.run();
    seconds.push_back(seconds_now() - begin);
  }
  DecodingSpeed speed;
  speed.seconds = median(seconds);
  speed.sentences_per_second = static_cast<double>(search.sentences()) / speed.seconds;
  speed.target_tokens_per_second = best.tokens / speed.seconds;
  speed.latency_seconds = latency(search, benchmark.alone);
  speed.log_probability = best.log_probability / best.tokens;
  speed.hypotheses = std::move(best.hypotheses);
  speed.peak_tensor_bytes = static_cast<int64_t>(arena_statistics().peak);
  speed.peak_resident_bytes = peak_resident_bytes();
  return speed;
}

}  // namespace skein
