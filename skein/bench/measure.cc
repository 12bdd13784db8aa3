#include "skein/bench/measure.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <ctime>

#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/base/progress.h"

namespace skein {

double median(std::vector<double> values) {
  if (values.empty()) throw Error("nothing was measured, so there is no median");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double thread_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Clock work_clock() { return threads() == 1 ? thread_seconds : seconds_now; }

int64_t peak_resident_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

}  // namespace skein
