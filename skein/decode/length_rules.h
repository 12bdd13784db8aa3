// Rules for the number of tokens before the end of the sentence.
#pragma once

#include <cstdint>
#include <span>

#include "skein/decode/score_rule.h"
#include "skein/decode/word_rules.h"

namespace skein {

class MaximumLengthRule final : public ScoreRule {
 public:
  explicit MaximumLengthRule(int64_t most) : most_(most) {}

  Verdict apply(const HypothesisView& hypothesis, std::span<float> logits) const override {
    if (hypothesis.length < most_) return Verdict::kOpen;
    keep_only(kEosId, logits);
    return Verdict::kDecided;
  }

 private:
  int64_t most_;
};

class MinimumLengthRule final : public ScoreRule {
 public:
  explicit MinimumLengthRule(int64_t least) : least_(least) {}

  Verdict apply(const HypothesisView& hypothesis, std::span<float> logits) const override {
    if (hypothesis.length < least_) logits[kEosId] = kForbidden;
    return Verdict::kOpen;
  }

 private:
  int64_t least_;
};

}  // namespace skein
