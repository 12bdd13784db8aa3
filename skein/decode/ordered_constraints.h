// Constraints that come in the given order, with anything between two of them.
#pragma once

#include <span>
#include <vector>

#include "skein/decode/constraints.h"

namespace skein {

class OrderedConstraints final : public Constraints {
 public:
  explicit OrderedConstraints(std::span<const std::vector<int32_t>> sequences);

  Progress start() const override { return {}; }
  // What breaks off inside a constraint begins with the first one again, as in the reference.
  Progress advance(const Progress& progress, int32_t token) const override;
  int64_t met_tokens(const Progress& progress) const override { return progress.place; }
  bool all_met(const Progress& progress) const override {
    return static_cast<size_t>(progress.place) == tokens_.size();
  }
  void append_next(const Progress& progress, std::vector<int32_t>& tokens) const override;

 private:
  std::vector<int32_t> tokens_;  // of all constraints, one after another
  std::vector<bool> begins_;     // [tokens]: is it the first of its constraint
};

}  // namespace skein
