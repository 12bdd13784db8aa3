#include "skein/decode/hypothesis.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "skein/base/error.h"
#include "skein/text/vocabulary.h"

namespace skein {
namespace {

void require(bool in_range, const char* name, double value, const char* expected) {
  if (in_range) return;
  throw UsageError(fmt::format("{} is {}; expected {}", name, value, expected));
}

void require_prefix(const SearchOptions& options, int64_t vocabulary) {
  for (const int32_t token : options.prefix) {
    if (token >= 0 && token < vocabulary && token != kPadId && token != kEosId) continue;
    throw UsageError(
        fmt::format("the forced prefix holds token {}; expected a word of the target vocabulary of "
                    "{} tokens, and neither padding nor the end of the sentence",
                    token, vocabulary));
  }
}

}  // namespace

double score_of(double sum, size_t length, const SearchOptions& options) {
  if (!options.normalize) return sum;
  return sum / std::pow(static_cast<double>(length), options.length_penalty);
}

void append(const Hypothesis& next, const SearchOptions& options, Hypothesis& hypothesis) {
  hypothesis.tokens.insert(hypothesis.tokens.end(), next.tokens.begin(), next.tokens.end());
  hypothesis.token_scores.insert(hypothesis.token_scores.end(), next.token_scores.begin(),
                                 next.token_scores.end());
  const double sum =
      std::accumulate(hypothesis.token_scores.begin(), hypothesis.token_scores.end(), 0.0);
  hypothesis.score = score_of(sum, hypothesis.tokens.size(), options);
  hypothesis.cut = hypothesis.cut || next.cut;
}

void require_valid(const SearchOptions& options, int64_t vocabulary) {
  const auto number = [](int64_t value) { return static_cast<double>(value); };
  require(options.beam >= 1, "beam", number(options.beam), "at least 1");
  require(std::isfinite(options.length_penalty), "length penalty", options.length_penalty,
          "a finite number");
  require(options.min_length >= 0, "minimum length", number(options.min_length), "at least 0");
  require(std::isfinite(options.max_length_a) && options.max_length_a >= 0, "maximum length (a)",
          options.max_length_a, "at least 0");
  require(std::isfinite(options.max_length_b) && options.max_length_b >= 0, "maximum length (b)",
          options.max_length_b, "at least 0");
  require(std::isfinite(options.unk_penalty), "penalty of unknown words", options.unk_penalty,
          "a finite number");
  require(std::isfinite(options.temperature) && options.temperature > 0, "temperature",
          options.temperature, "a number above 0");
  require(options.no_repeat_ngram >= 0, "length of n-grams that may not repeat",
          number(options.no_repeat_ngram), "at least 0");
  require_prefix(options, vocabulary);
}

}  // namespace skein
