#include "skein/data/resampler.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "skein/base/error.h"

namespace skein {
namespace {

void require_fit(const Resampler::Side& side, const char* setting) {
  if (side.tokenizer == nullptr) return;
  const std::string type = side.tokenizer->type();
  if (!side.tokenizer->resamples()) {
    throw UsageError(fmt::format(
        "{} is {}, but a vocabulary of type {} splits a sentence in one way only; leave "
        "it at 0, or learn one of type unigram, bpe or codes",
        setting, side.alpha, type));
  }
  if (side.alpha > 0 && (type == "unigram" || side.alpha <= 1)) return;
  throw UsageError(
      fmt::format("{} is {}; it is the probability that a merge of {} is left out, so "
                  "at most 1 (0.1 is usual)",
                  setting, side.alpha, type));
}

void resample(const Resampler::Side& side, std::vector<int32_t>& tokens, Random& random) {
  if (side.tokenizer == nullptr) return;
  std::vector<int32_t> sampled = side.tokenizer->resample(tokens, side.alpha, random);
  if (std::ssize(sampled) <= side.longest) tokens = std::move(sampled);
}

}  // namespace

Resampler::Resampler(const Side& source, const Side& target) : source_(source), target_(target) {
  require_fit(source, "data.source_sampling");
  require_fit(target, "data.target_sampling");
}

void Resampler::source(std::vector<int32_t>& tokens, Random& random) const {
  resample(source_, tokens, random);
}

void Resampler::target(std::vector<int32_t>& tokens, Random& random) const {
  resample(target_, tokens, random);
}

}  // namespace skein
