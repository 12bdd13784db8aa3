// The distribution that a token is drawn from: that of a row of logits, or its likeliest tokens
// only, renormalised.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace skein {

struct Truncation {
  int64_t top_k = 0;  // the k likeliest tokens; 0: all. Of equal ones those that come first
  double top_p = 1;   // then the fewest likeliest tokens whose probabilities add up to this
};

class TokenDistribution {
 public:
  // p(token) ∝ exp(scale · logit); -infinity is impossible. Tokens of less than e^-32 of the
  // likeliest one's probability are left out.
  TokenDistribution(std::span<const float> logits, float scale, const Truncation& truncation);

  // No token was possible.
  bool empty() const { return tokens_.empty(); }

  struct Token {
    int32_t id = 0;
    double weight = 0;  // up to a constant, its probability
  };
  // Those that can be drawn: likeliest first if the distribution was truncated, else by id.
  std::span<const Token> tokens() const { return tokens_; }

  // The token at `uniform`, in [0, 1), of the cumulative distribution. Requires that it is not
  // empty.
  int32_t draw(double uniform) const;

 private:
  void keep_likeliest(const Truncation& truncation);

  std::vector<Token> tokens_;
  double total_ = 0;
};

}  // namespace skein
