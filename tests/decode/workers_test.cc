#include "skein/decode/workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "skein/base/parallel.h"

namespace skein {
namespace {

TEST(Workers, DoEachPieceOnceWithOneThreadEach) {
  const int before = threads();
  set_threads(3);
  std::vector<std::atomic<int>> done(100);
  std::atomic<int> workers = 0;
  run_workers(done.size(), [&] {
    ++workers;
    EXPECT_EQ(threads(), 1);
    return [&](size_t i) { ++done[i]; };
  });
  for (const auto& each : done) EXPECT_EQ(each, 1);
  EXPECT_EQ(workers, 3);
  EXPECT_EQ(threads(), 3);
  set_threads(before);
}

TEST(Workers, ASinglePieceGetsAllThreads) {
  const int before = threads();
  set_threads(3);
  run_workers(1, [&] { return [&](size_t) { EXPECT_EQ(threads(), 3); }; });
  run_workers(0, [&] { return [&](size_t) { FAIL() << "there is nothing to do"; }; });
  set_threads(before);
}

TEST(Workers, OfFewPiecesShareTheThreads) {
  const int before = threads();
  set_threads(5);
  std::atomic<int> workers = 0;
  run_workers(2, [&] {
    ++workers;
    return [&](size_t) { EXPECT_EQ(threads(), 2); };
  });
  EXPECT_EQ(workers, 2);
  set_threads(before);
}

TEST(Workers, AFailureIsThrown) {
  const int before = threads();
  set_threads(2);
  const auto failing = [&] {
    run_workers(1000, [&] {
      return [&](size_t i) {
        if (i == 3) throw std::runtime_error("piece 3");
      };
    });
  };
  EXPECT_THROW(failing(), std::runtime_error);
  set_threads(before);
}

}  // namespace
}  // namespace skein
