#include "skein/decode/search_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "skein/base/error.h"
#include "skein/text/vocabulary.h"

namespace skein {
namespace {

void require(bool in_range, const char* name, double value, const char* expected) {
  if (in_range) return;
  throw UsageError(fmt::format("{} is {}; expected {}", name, value, expected));
}

double number(int64_t value) { return static_cast<double>(value); }

void require_not_negative(const char* name, double value) {
  require(std::isfinite(value) && value >= 0, name, value, "at least 0");
}

// Penalties are taken from scores in f32, which have to stay numbers.
constexpr double kLargestPenalty = 1e6;

void require_penalty(const char* name, double value) {
  require(value >= 0 && value <= kLargestPenalty, name, value, "0 to a million");
}

void require_words(std::span<const int32_t> tokens, const char* what, int64_t vocabulary) {
  for (const int32_t token : tokens) {
    if (token >= 0 && token < vocabulary && token != kPadId && token != kEosId) continue;
    throw UsageError(
        fmt::format("{} holds token {}; expected a word of the target vocabulary of {} tokens, and "
                    "neither padding nor the end of the sentence",
                    what, token, vocabulary));
  }
}

void require_lengths(const SearchOptions& options) {
  require_not_negative("minimum length (a)", options.min_length_a);
  require(options.min_length >= 0, "minimum length", number(options.min_length), "at least 0");
  require_not_negative("maximum length (a)", options.max_length_a);
  require_not_negative("maximum length (b)", options.max_length_b);
  // Both grow with the source; the shortest one has a word and its end.
  const double shortest = 2;
  if (options.min_length_a <= options.max_length_a &&
      options.min_length_a * shortest + number(options.min_length) <=
          options.max_length_a * shortest + options.max_length_b) {
    return;
  }
  throw UsageError(fmt::format(
      "the minimum length, {} x source + {}, is above the maximum, {} x source + {}, "
      "for some sources; lower the one or raise the other",
      options.min_length_a, options.min_length, options.max_length_a, options.max_length_b));
}

void require_sampling(const SearchOptions& options) {
  const SamplingOptions& sampling = *options.sampling;
  require(sampling.top_k >= 0, "top-k", number(sampling.top_k), "at least 0");
  require(sampling.top_p > 0 && sampling.top_p <= 1, "top-p", sampling.top_p,
          "a probability above 0 and at most 1");
  if (options.diversity.groups > 1 || options.diversity.sibling_rate > 0) {
    throw UsageError(
        "diverse beam search and sampling exclude each other: samples are drawn independently; "
        "leave one of them out");
  }
  if (!options.constraints.empty()) {
    throw UsageError(
        "constraints need a beam that keeps room for them, and sampling has none; leave one of "
        "them out");
  }
}

void require_diversity(const SearchOptions& options) {
  const DiversityOptions& diversity = options.diversity;
  require(diversity.groups >= 1, "number of diverse groups", number(diversity.groups),
          "at least 1");
  require_penalty("strength of diversity", diversity.strength);
  require(diversity.discount >= 0 && diversity.discount <= 1, "discount of diversity",
          diversity.discount, "0 to 1");
  require_penalty("penalty of siblings", diversity.sibling_rate);
  if (options.beam % diversity.groups != 0) {
    throw UsageError(
        fmt::format("a beam of {} cannot be parted into {} diverse groups of equal size; choose a "
                    "multiple of {} as beam",
                    options.beam, diversity.groups, diversity.groups));
  }
  if (options.beam == 1 && diversity.sibling_rate > 0) {
    throw UsageError(
        "a beam of 1 keeps one continuation, which has no siblings; raise the beam, or leave out "
        "the "
        "penalty of siblings");
  }
  if (diversity.groups > 1 && diversity.sibling_rate > 0) {
    throw UsageError(
        "diverse groups and a penalty of siblings are two ways to the same end; choose one");
  }
}

void require_constraints(const SearchOptions& options, int64_t vocabulary) {
  for (const std::vector<int32_t>& constraint : options.constraints) {
    if (constraint.empty()) {
      throw UsageError("a constraint has no tokens; expected text that the translation contains");
    }
    require_words(constraint, "a constraint", vocabulary);
  }
  if (!options.constraints.empty() &&
      (options.diversity.groups > 1 || options.diversity.sibling_rate > 0)) {
    throw UsageError(
        "constraints and diverse beam search each share out the beam in their own way; leave one "
        "of them out");
  }
}

}  // namespace

LengthBounds length_bounds(const SearchOptions& options, int64_t source_length,
                           int64_t max_positions) {
  const auto x = static_cast<double>(source_length);
  const double most = options.max_length_a * x + options.max_length_b;
  const double least = options.min_length_a * x + number(options.min_length);
  // Behind the prompt, and also without eos, a hypothesis fits the model's positions.
  const int64_t room = max_positions - static_cast<int64_t>(options.prompt.size());
  const auto bounded = [&](double length) {
    return static_cast<int64_t>(std::min(length, number(std::max<int64_t>(room - 1, 0))));
  };
  LengthBounds bounds{bounded(least), bounded(most)};
  if (options.match_source_length) bounds = {bounded(x - 1), bounded(x - 1)};
  const auto prefix_length = static_cast<int64_t>(options.prefix.size());
  if (prefix_length >= room) {
    throw UsageError(fmt::format(
        "{} tokens are given to begin with; the model has positions for {} and the end of the "
        "sentence",
        prefix_length + static_cast<int64_t>(options.prompt.size()), max_positions - 1));
  }
  bounds.most = std::max(bounds.most, prefix_length);
  return bounds;
}

void require_temperature(double temperature) {
  require(temperature >= 1e-3 && temperature <= 1e6, "temperature", temperature,
          "a number from 0.001 to a million");
}

void require_valid(const SearchOptions& options, int64_t vocabulary) {
  require(options.beam >= 1, "beam", number(options.beam), "at least 1");
  require(std::abs(options.length_penalty) <= 100, "length penalty", options.length_penalty,
          "-100 to 100");
  require_lengths(options);
  require(std::abs(options.unk_penalty) <= kLargestPenalty, "penalty of unknown words",
          options.unk_penalty, "at most a million, up or down");
  require_temperature(options.temperature);
  require(options.no_repeat_ngram >= 0, "length of n-grams that may not repeat",
          number(options.no_repeat_ngram), "at least 0");
  require_words(options.prefix, "the forced prefix", vocabulary);
  require_words(options.prompt, "the prompt", vocabulary);
  if (options.sampling) require_sampling(options);
  require_diversity(options);
  require_constraints(options, vocabulary);
}

}  // namespace skein
