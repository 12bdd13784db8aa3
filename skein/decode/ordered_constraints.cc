#include "skein/decode/ordered_constraints.h"

namespace skein {

OrderedConstraints::OrderedConstraints(std::span<const std::vector<int32_t>> sequences) {
  for (const std::vector<int32_t>& sequence : sequences) {
    for (size_t i = 0; i < sequence.size(); ++i) {
      tokens_.push_back(sequence[i]);
      begins_.push_back(i == 0);
    }
  }
}

Constraints::Progress OrderedConstraints::advance(const Progress& progress, int32_t token) const {
  if (all_met(progress)) return progress;
  const auto place = static_cast<size_t>(progress.place);
  if (tokens_[place] == token) return {.place = progress.place + 1};
  if (begins_[place]) return progress;
  return {.place = token == tokens_[0] ? 1 : 0};
}

// The first token of all is among them, as in the reference.
void OrderedConstraints::append_next(const Progress& progress, std::vector<int32_t>& tokens) const {
  if (progress.place > 1) tokens.push_back(tokens_[0]);
  if (!all_met(progress)) tokens.push_back(tokens_[static_cast<size_t>(progress.place)]);
}

}  // namespace skein
