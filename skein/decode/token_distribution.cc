#include "skein/decode/token_distribution.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace skein {
namespace {

// A hundred thousand such tokens together have 1e-9 of the probability, far less than float logits
// can tell.
constexpr float kNegligible = -32;

double total_weight(std::span<const TokenDistribution::Token> tokens) {
  double total = 0;
  for (const auto& token : tokens) total += token.weight;
  return total;
}

}  // namespace

TokenDistribution::TokenDistribution(std::span<const float> logits, float scale,
                                     const Truncation& truncation) {
  constexpr float kLowest = -std::numeric_limits<float>::infinity();
  const float highest = logits.empty() ? kLowest : *std::max_element(logits.begin(), logits.end());
  if (highest == kLowest) return;
  for (size_t id = 0; id < logits.size(); ++id) {
    const float exponent = (logits[id] - highest) * scale;
    if (exponent > kNegligible) {
      tokens_.push_back({static_cast<int32_t>(id), double{std::exp(exponent)}});
    }
  }
  if (truncation.top_k > 0 || truncation.top_p < 1) keep_likeliest(truncation);
  total_ = total_weight(tokens_);
}

void TokenDistribution::keep_likeliest(const Truncation& truncation) {
  const auto likelier = [](const Token& a, const Token& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.id < b.id;
  };
  if (truncation.top_k > 0 && static_cast<size_t>(truncation.top_k) < tokens_.size()) {
    const auto end = tokens_.begin() + truncation.top_k;
    std::nth_element(tokens_.begin(), end, tokens_.end(), likelier);
    tokens_.erase(end, tokens_.end());
  }
  const double wanted = truncation.top_p * total_weight(tokens_);
  if (truncation.top_p < 1) {
    // All tokens less likely than this have at most 1 - p together, so they are not needed.
    const double floor =
        (1 - truncation.top_p) * total_weight(tokens_) / static_cast<double>(tokens_.size());
    std::erase_if(tokens_, [&](const Token& token) { return token.weight < floor; });
  }
  std::sort(tokens_.begin(), tokens_.end(), likelier);
  if (truncation.top_p == 1) return;
  double sum = 0;
  size_t kept = 0;
  while (kept < tokens_.size() && sum < wanted) sum += tokens_[kept++].weight;
  tokens_.resize(std::max<size_t>(kept, 1));
}

int32_t TokenDistribution::draw(double uniform) const {
  double rest = uniform * total_;
  for (const Token& token : tokens_) {
    rest -= token.weight;
    if (rest < 0) return token.id;
  }
  return tokens_.back().id;  // rounding
}

}  // namespace skein
