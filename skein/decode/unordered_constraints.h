// Constraints that may come in any order. They form a trie in which a hypothesis moves: from the
// root along a constraint as long as its tokens match, else back to the root.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "skein/decode/constraints.h"

namespace skein {

class UnorderedConstraints final : public Constraints {
 public:
  explicit UnorderedConstraints(std::span<const std::vector<int32_t>> sequences);

  Progress start() const override;
  // As in the reference, the token that breaks a constraint off does not begin the same one again:
  // of `A B`, `A A B` has nothing.
  Progress advance(const Progress& progress, int32_t token) const override;
  int64_t met_tokens(const Progress& progress) const override;
  bool all_met(const Progress& progress) const override;
  void append_next(const Progress& progress, std::vector<int32_t>& tokens) const override;

 private:
  static constexpr int32_t kRoot = 0;
  static constexpr int32_t kNone = -1;

  struct Node {
    int32_t parent = kNone;
    int32_t ends = 0;                          // constraints that end here
    int32_t passes = 0;                        // constraints that end here or below
    std::map<int32_t, int32_t> children = {};  // by token
  };

  const Node& node(int32_t index) const { return nodes_[static_cast<size_t>(index)]; }
  // The child of `from` for `token`, if any constraint that ends there or below is still open.
  int32_t open_child(const Progress& progress, int32_t from, int32_t token) const;
  bool ends_open(const Progress& progress, int32_t at) const;
  void leave(Progress& progress) const;

  std::vector<Node> nodes_ = {Node{}};
  int32_t constraints_ = 0;
};

}  // namespace skein
