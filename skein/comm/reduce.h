// Element by element over the ranks, in their order.
#pragma once

#include <span>

#include "skein/comm/communicator.h"

namespace skein {

// `ranks`: the elements of each, `out.size()` of them; `out` may be one of them. Sums of floats are
// made in float64 and rounded once, so that few of them depend on the order at all.
template <typename T>
void reduce(std::span<const T* const> ranks, Reduction reduction, std::span<T> out);

}  // namespace skein
