#include "apps/skein/stop_signals.h"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>

namespace skein::command {
namespace {

constexpr int64_t kSecond = 1'000'000'000;  // in nanoseconds

// When the first signal came, in nanoseconds of the monotonic clock; 0: none came.
std::atomic<int64_t> requested_at{0};
std::atomic<int> requested_by{0};
static_assert(std::atomic<int64_t>::is_always_lock_free, "a signal handler takes no lock");

extern "C" void on_stop_signal(int signal) {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  const int64_t now = time.tv_sec * kSecond + time.tv_nsec;
  int64_t first = 0;
  if (requested_at.compare_exchange_strong(first, now)) {
    requested_by = signal;
    return;
  }
  if (now - first < kSecond) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void watch_stop_signals() {
  std::signal(SIGINT, on_stop_signal);
  std::signal(SIGTERM, on_stop_signal);
}

bool stop_requested() { return requested_at != 0; }

void end_as_requested() { throw Stopped{requested_by}; }

}  // namespace skein::command
