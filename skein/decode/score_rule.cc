#include "skein/decode/score_rule.h"

#include "skein/decode/length_rules.h"
#include "skein/decode/no_repeat_rule.h"
#include "skein/decode/word_rules.h"

namespace skein {

ScoreRules make_score_rules(const SearchOptions& options, const LengthBounds& lengths) {
  ScoreRules rules;
  rules.push_back(std::make_unique<NoPaddingRule>());
  if (options.unk_penalty != 0) {
    rules.push_back(std::make_unique<UnknownWordRule>(options.unk_penalty * options.temperature));
  }
  rules.push_back(std::make_unique<MaximumLengthRule>(lengths.most));
  if (!options.prefix.empty()) rules.push_back(std::make_unique<PrefixRule>(options.prefix));
  if (lengths.least > 0) rules.push_back(std::make_unique<MinimumLengthRule>(lengths.least));
  if (options.no_repeat_ngram > 0) {
    rules.push_back(std::make_unique<NoRepeatRule>(options.no_repeat_ngram));
  }
  return rules;
}

void apply(const ScoreRules& rules, const HypothesisView& hypothesis, std::span<float> logits) {
  for (const auto& rule : rules) {
    if (rule->apply(hypothesis, logits) == ScoreRule::Verdict::kDecided) return;
  }
}

}  // namespace skein
