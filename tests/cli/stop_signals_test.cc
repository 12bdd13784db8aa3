#include "apps/skein/stop_signals.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

namespace skein::command {
namespace {

// Each in a process of its own: handlers and the request are for the whole process.
TEST(StopSignals, SignalsInOneSecondAreOneRequest) {
  for (const int first : {SIGINT, SIGTERM}) {
    for (const int second : {SIGINT, SIGTERM}) {
      EXPECT_EXIT(
          {
            watch_stop_signals();
            const bool before = stop_requested();
            std::raise(first);
            std::raise(second);
            std::_Exit(!before && stop_requested() ? 0 : 1);
          },
          testing::ExitedWithCode(0), "");
    }
  }
}

TEST(StopSignals, ALaterOneEndsTheProgramAsThatSignalDoes) {
  for (const int last : {SIGINT, SIGTERM}) {
    EXPECT_EXIT(
        {
          watch_stop_signals();
          std::raise(SIGINT);
          std::this_thread::sleep_for(std::chrono::milliseconds(1001));
          std::raise(last);
          std::_Exit(0);
        },
        testing::KilledBySignal(last), "");
  }
}

}  // namespace
}  // namespace skein::command
