// Loops over all threads. The number of threads is one setting of the process (`--threads`); OpenMP
// carries it, since oneDNN's products run on the same pool.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace skein {

void set_threads(int count);
int threads();

namespace internal {
using RangeFunction = void (*)(void* body, int64_t begin, int64_t end);
void parallel_for(int64_t count, int64_t grain, void* body, RangeFunction function);
}  // namespace internal

// Calls body(begin, end) on disjoint ranges that cover [0, count), at most one a thread, none
// shorter than `grain` except where all are one. Which range a number falls in depends on count,
// grain and the number of threads only, so results that depend on the ranges repeat. `body` must
// not throw.
template <typename Body>
void parallel_for(int64_t count, int64_t grain, Body&& body) {
  using Plain = std::remove_reference_t<Body>;
  internal::parallel_for(count, grain,
                         const_cast<void*>(static_cast<const void*>(std::addressof(body))),
                         [](void* pointer, int64_t begin, int64_t end) {
                           (*static_cast<Plain*>(pointer))(begin, end);
                         });
}

}  // namespace skein
