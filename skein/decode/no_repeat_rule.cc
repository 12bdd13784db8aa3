#include "skein/decode/no_repeat_rule.h"

#include <algorithm>
#include <vector>

#include "skein/decode/word_rules.h"

namespace skein {

ScoreRule::Verdict NoRepeatRule::apply(const HypothesisView& hypothesis,
                                       std::span<float> logits) const {
  std::vector<int32_t> path;  // last token first
  hypothesis.tree.visit_backward(hypothesis.node, HypothesisTree::kRoot,
                                 [&](const auto& node) { path.push_back(node.token); });
  path.push_back(kEosId);
  if (std::ssize(path) < n_) return Verdict::kOpen;
  const auto context_end = path.begin() + (n_ - 1);
  for (auto last = path.begin(); path.end() - last >= n_; ++last) {
    if (*last != kEosId && std::equal(path.begin(), context_end, last + 1)) {
      logits[static_cast<size_t>(*last)] = kForbidden;
    }
  }
  return Verdict::kOpen;
}

}  // namespace skein
