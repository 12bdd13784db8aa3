// The tokens of all hypotheses of a sentence. Those that began alike share their beginning: a
// hypothesis is a node, and its tokens are the path to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "skein/text/vocabulary.h"

namespace skein {

class HypothesisTree {
 public:
  struct Node {
    int32_t token = kEosId;
    int32_t parent = -1;
    float score = 0;  // log-probability of the token
  };

  // The eos that every decoder starts from.
  static constexpr int32_t kRoot = 0;

  // The hypothesis `parent` and one token more.
  int32_t add(int32_t parent, int32_t token, float score) {
    nodes_.push_back({token, parent, score});
    return static_cast<int32_t>(nodes_.size()) - 1;
  }

  const Node& operator[](int32_t node) const { return nodes_[static_cast<size_t>(node)]; }

  // Calls visit(node) for each token of a hypothesis behind the node `begin`, last first.
  template <typename Visit>
  void visit_backward(int32_t hypothesis, int32_t begin, Visit&& visit) const {
    for (int32_t node = hypothesis; node != begin; node = (*this)[node].parent) {
      visit((*this)[node]);
    }
  }

 private:
  std::vector<Node> nodes_ = {Node{}};
};

}  // namespace skein
