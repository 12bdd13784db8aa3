// Rules for certain words, whatever the hypothesis is.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "skein/decode/score_rule.h"
#include "skein/text/vocabulary.h"

namespace skein {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();

inline void keep_only(int32_t token, std::span<float> logits) {
  const float kept = logits[static_cast<size_t>(token)];
  std::fill(logits.begin(), logits.end(), kForbidden);
  logits[static_cast<size_t>(token)] = kept;
}

class NoPaddingRule final : public ScoreRule {
 public:
  Verdict apply(const HypothesisView& /*hypothesis*/, std::span<float> logits) const override {
    logits[kPadId] = kForbidden;
    return Verdict::kOpen;
  }
};

// Makes the unknown word dearer.
class UnknownWordRule final : public ScoreRule {
 public:
  explicit UnknownWordRule(double penalty) : penalty_(static_cast<float>(penalty)) {}

  Verdict apply(const HypothesisView& /*hypothesis*/, std::span<float> logits) const override {
    logits[kUnkId] -= penalty_;
    return Verdict::kOpen;
  }

 private:
  float penalty_;
};

// Every hypothesis begins with these tokens.
class PrefixRule final : public ScoreRule {
 public:
  explicit PrefixRule(std::vector<int32_t> tokens) : tokens_(std::move(tokens)) {}

  Verdict apply(const HypothesisView& hypothesis, std::span<float> logits) const override {
    const auto position = static_cast<size_t>(hypothesis.length);
    if (position >= tokens_.size()) return Verdict::kOpen;
    keep_only(tokens_[position], logits);
    return Verdict::kDecided;
  }

 private:
  std::vector<int32_t> tokens_;
};

}  // namespace skein
