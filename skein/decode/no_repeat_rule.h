// No n-gram occurs twice in a hypothesis (Paulus et al. 2018).
#pragma once

#include <cstdint>
#include <span>

#include "skein/decode/score_rule.h"

namespace skein {

class NoRepeatRule final : public ScoreRule {
 public:
  // n: at least 1.
  explicit NoRepeatRule(int64_t n) : n_(n) {}

  // Forbids each token that with the last n - 1 tokens makes an n-gram that the hypothesis has, the
  // eos it started from included; eos itself is never forbidden.
  Verdict apply(const HypothesisView& hypothesis, std::span<float> logits) const override;

 private:
  int64_t n_;
};

}  // namespace skein
