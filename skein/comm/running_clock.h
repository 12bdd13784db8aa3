// Seconds that this process has run, as far as somebody looked. A process that was stopped, with
// all others or alone, must not think that they have been silent meanwhile.
#pragma once

#include <algorithm>
#include <chrono>

namespace skein {

class RunningClock {
 public:
  // To be called at least every `kLongestStep` seconds; more than that counts as that.
  double now() {
    const auto time = Clock::now();
    seconds_ += std::min(kLongestStep, std::chrono::duration<double>(time - last_).count());
    last_ = time;
    return seconds_;
  }

  static constexpr double kLongestStep = 1;

 private:
  using Clock = std::chrono::steady_clock;
  double seconds_ = 0;
  Clock::time_point last_ = Clock::now();
};

}  // namespace skein
