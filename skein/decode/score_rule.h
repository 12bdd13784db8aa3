// What is done to the scores of a hypothesis's next token before any is chosen: words are forbidden
// or made dearer. A rule knows nothing of the model, of other hypotheses or of how tokens are
// chosen, so every search composes the same ones.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "skein/decode/hypothesis_tree.h"
#include "skein/decode/search_options.h"

namespace skein {

struct HypothesisView {
  const HypothesisTree& tree;
  int32_t node = HypothesisTree::kRoot;
  int64_t length = 0;  // its tokens so far
};

class ScoreRule {
 public:
  enum class Verdict {
    kOpen,     // other rules may have their say
    kDecided,  // one token is left, whatever else is asked for
  };

  virtual ~ScoreRule() = default;
  // logits: [vocabulary], of the model before the temperature. -infinity forbids a token. May be
  // called by several threads at once.
  virtual Verdict apply(const HypothesisView& hypothesis, std::span<float> logits) const = 0;
};

using ScoreRules = std::vector<std::unique_ptr<ScoreRule>>;

// Those that the options ask for, in the order in which they apply: words, maximum length, prefix,
// minimum length, n-grams.
ScoreRules make_score_rules(const SearchOptions& options, const LengthBounds& lengths);

// Applies rules until one decides.
void apply(const ScoreRules& rules, const HypothesisView& hypothesis, std::span<float> logits);

}  // namespace skein
