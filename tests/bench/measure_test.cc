#include "skein/bench/measure.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/base/progress.h"

namespace skein {
namespace {

TEST(Median, IsTheMiddleOrTheUpperOneOfTheMiddleTwo) {
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({4, 1, 3, 2}), 3);
}

TEST(Median, OfNothingIsRefused) { EXPECT_THROW(median({}), Error); }

TEST(WorkClock, IsTheThreadsOwnOnlyWhereOneComputes) {
  const int before = threads();
  set_threads(2);
  EXPECT_EQ(work_clock(), &seconds_now);
  set_threads(1);
  EXPECT_EQ(work_clock(), &thread_seconds);
  set_threads(before);
}

TEST(ThreadSeconds, CountWorkAndNoSleep) {
  const double begin = thread_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  // What is left is falling asleep and waking.
  EXPECT_LT(thread_seconds() - begin, 0.1);
  // This ends on any machine.
  const double work_begin = thread_seconds();
  while (thread_seconds() == work_begin) {
  }
}

TEST(PeakResidentBytes, CountsWhatWasTouchedAndNeverGoesBack) {
  const int64_t before = peak_resident_bytes();
  {
    // A peak is told in pages and by the kernel's own count, a little late: so twice as much.
    std::vector<char> memory(static_cast<size_t>(before) + (size_t{64} << 20), 1);
    EXPECT_GE(peak_resident_bytes(), before + (int64_t{32} << 20));
  }
  EXPECT_GE(peak_resident_bytes(), before + (int64_t{32} << 20));
}

}  // namespace
}  // namespace skein
