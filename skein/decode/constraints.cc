#include "skein/decode/constraints.h"

#include "skein/decode/ordered_constraints.h"
#include "skein/decode/unordered_constraints.h"

namespace skein {

std::unique_ptr<Constraints> make_constraints(std::span<const std::vector<int32_t>> sequences,
                                              ConstraintOrder order) {
  if (order == ConstraintOrder::kGiven) return std::make_unique<OrderedConstraints>(sequences);
  return std::make_unique<UnorderedConstraints>(sequences);
}

}  // namespace skein
