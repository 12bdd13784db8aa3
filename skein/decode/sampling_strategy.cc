#include "skein/decode/sampling_strategy.h"

#include <numeric>
#include <utility>

#include "skein/base/random.h"
#include "skein/decode/token_distribution.h"
#include "skein/text/vocabulary.h"

namespace skein {
namespace {

// Room for each sample's random numbers in the stream of its sentence.
constexpr uint64_t kNumbersOfASample = uint64_t{1} << 32;
// A uniform number takes two of 32 bits.
constexpr uint64_t kNumbersOfAStep = 2;

}  // namespace

SamplingStrategy::SamplingStrategy(const SearchOptions& options)
    : options_(*options.sampling), scale_(static_cast<float>(1 / options.temperature)) {
  std::vector<uint64_t> all(static_cast<size_t>(options.beam));
  std::iota(all.begin(), all.end(), uint64_t{0});
  samples_.push_back(std::move(all));
}

void SamplingStrategy::rank(int64_t row, std::span<const float> logits,
                            std::vector<kernels::RankedValue>& next) const {
  next.clear();
  const TokenDistribution distribution(logits, scale_,
                                       {.top_k = options_.top_k, .top_p = options_.top_p});
  if (distribution.empty()) return;
  for (const uint64_t sample : samples_[static_cast<size_t>(row)]) {
    Random random(options_.seed, options_.stream);
    random.seek(sample * kNumbersOfASample + step_ * kNumbersOfAStep);
    const int32_t token = distribution.draw(random.uniform());
    next.push_back({logits[static_cast<size_t>(token)], token});
  }
}

// At most `beam` candidates, so that all of them but the ended ones go on.
std::vector<Candidate> SamplingStrategy::choose(std::span<const ScoredRow> rows) {
  std::vector<Candidate> candidates;
  std::vector<std::vector<uint64_t>> going_on;
  for (size_t row = 0; row < rows.size(); ++row) {
    for (size_t i = 0; i < rows[row].next.size(); ++i) {
      const auto [score, token] = rows[row].next[i];
      candidates.push_back({rows[row].sum + score, score, static_cast<int32_t>(row), token});
      if (token != kEosId) going_on.push_back({samples_[row][i]});
    }
  }
  samples_ = std::move(going_on);
  ++step_;
  return candidates;
}

}  // namespace skein
