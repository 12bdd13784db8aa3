#include "skein/base/parallel.h"

#include <omp.h>

#include <algorithm>

namespace skein {

void set_threads(int count) { omp_set_num_threads(count); }
int threads() { return omp_get_max_threads(); }

namespace internal {

void parallel_for(int64_t count, int64_t grain, void* body, RangeFunction function) {
  if (count <= 0) return;
  const int64_t parts = std::clamp<int64_t>(count / std::max<int64_t>(grain, 1), 1, threads());
  if (parts == 1 || omp_in_parallel()) {
    function(body, 0, count);
    return;
  }
#pragma omp parallel for num_threads(static_cast <int>(parts)) schedule(static, 1)
  for (int64_t part = 0; part < parts; ++part) {
    function(body, count * part / parts, count * (part + 1) / parts);
  }
}

}  // namespace internal
}  // namespace skein
