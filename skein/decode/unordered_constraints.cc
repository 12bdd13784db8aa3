#include "skein/decode/unordered_constraints.h"

#include <numeric>

namespace skein {

UnorderedConstraints::UnorderedConstraints(std::span<const std::vector<int32_t>> sequences)
    : constraints_(static_cast<int32_t>(sequences.size())) {
  for (const std::vector<int32_t>& sequence : sequences) {
    int32_t at = kRoot;
    for (const int32_t token : sequence) {
      const auto fresh = static_cast<int32_t>(nodes_.size());
      const auto [child, added] = nodes_[static_cast<size_t>(at)].children.emplace(token, fresh);
      const int32_t parent = at;
      at = child->second;
      if (added) nodes_.push_back({.parent = parent});
      ++nodes_[static_cast<size_t>(at)].passes;
    }
    ++nodes_[static_cast<size_t>(at)].ends;
  }
}

Constraints::Progress UnorderedConstraints::start() const {
  return {.place = kRoot,
          .begun = std::vector<int32_t>(nodes_.size(), 0),
          .ended = std::vector<int32_t>(nodes_.size(), 0)};
}

int32_t UnorderedConstraints::open_child(const Progress& progress, int32_t from,
                                         int32_t token) const {
  const auto child = node(from).children.find(token);
  if (child == node(from).children.end()) return kNone;
  const bool open = progress.begun[static_cast<size_t>(child->second)] < node(child->second).passes;
  return open ? child->second : kNone;
}

bool UnorderedConstraints::ends_open(const Progress& progress, int32_t at) const {
  return progress.ended[static_cast<size_t>(at)] < node(at).ends;
}

// Gives up the tokens on the path to the root, but for those of the longest constraint among them
// that is still open: it is met.
void UnorderedConstraints::leave(Progress& progress) const {
  int32_t at = progress.place;
  while (at != kRoot && !ends_open(progress, at)) {
    --progress.begun[static_cast<size_t>(at)];
    at = node(at).parent;
  }
  if (at != kRoot) ++progress.ended[static_cast<size_t>(at)];
  progress.place = kRoot;
}

Constraints::Progress UnorderedConstraints::advance(const Progress& progress, int32_t token) const {
  Progress next = progress;
  int32_t child = open_child(progress, progress.place, token);
  if (child == kNone) {
    // Before what breaks off is given up, as in the reference: its own first token does not begin
    // it anew.
    child = open_child(progress, kRoot, token);
    leave(next);
  }
  if (child == kNone) return next;
  ++next.begun[static_cast<size_t>(child)];
  next.place = child;
  return next;
}

int64_t UnorderedConstraints::met_tokens(const Progress& progress) const {
  return std::accumulate(progress.begun.begin(), progress.begun.end(), int64_t{0});
}

bool UnorderedConstraints::all_met(const Progress& progress) const {
  const int32_t ended = std::accumulate(progress.ended.begin(), progress.ended.end(), 0);
  return ended + (ends_open(progress, progress.place) ? 1 : 0) == constraints_;
}

void UnorderedConstraints::append_next(const Progress& progress,
                                       std::vector<int32_t>& tokens) const {
  for (const auto& [token, child] : node(kRoot).children) tokens.push_back(token);
  if (progress.place == kRoot) return;
  for (const auto& [token, child] : node(progress.place).children) tokens.push_back(token);
}

}  // namespace skein
