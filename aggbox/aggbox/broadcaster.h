// Sends bytes from one rank to all, a window of chunks at a time, each fanned out by the root's
// kernel and acknowledged by those of the receivers.
//
// Cost of B bytes: the root sends (N-1) B, and a packet of 146 bytes comes back from every receiver
// for each that its kernel took whole, a frame of 1408 or a super-packet; two steps. The root sends
// a chunk when all processes have read the one a window before it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "aggbox/aggbox/kernel_job.h"
#include "aggbox/aggbox/membership.h"
#include "aggbox/aggbox/sender.h"

namespace aggbox {

class Broadcaster {
 public:
  struct Options {
    std::chrono::milliseconds timeout;
    std::function<void()> check_peers;
    std::function<void()> while_waiting = {};  // if given: called every millisecond of waiting
  };
  Broadcaster(const Membership& membership, KernelJob& kernel, Options options);

  // bytes: the root's, and afterwards everybody's. Returns on the root when the kernels of all have
  // it, on others when it is here. What has no answer after `patience` is sent again.
  void run(std::span<std::uint8_t> bytes, std::uint32_t root,
           std::chrono::milliseconds patience = std::chrono::milliseconds(4));

  std::uint64_t retransmissions() const { return retransmissions_; }

 private:
  using Clock = std::chrono::steady_clock;

  void send(std::span<const std::uint8_t> bytes);
  void receive(std::span<std::uint8_t> bytes, std::uint32_t root);
  void add(std::span<const std::uint8_t> bytes, std::uint64_t sequence);
  void send_again(std::span<const std::uint8_t> bytes, std::uint64_t from, std::uint64_t to);
  void tell_how_far(std::uint32_t root);
  std::uint64_t read_by_all() const;
  std::uint64_t laggards() const;
  // Sleeps until something has come; throws where nothing has for too long.
  void wait(Clock::time_point last_progress, std::uint64_t missing_ranks);

  Membership membership_;
  KernelJob& kernel_;
  Sender sender_;
  Options options_;
  std::vector<std::uint64_t> sequences_;   // of the next chunk of each root
  std::vector<std::uint64_t> told_;        // to each root: what this rank has read
  std::chrono::milliseconds patience_{0};  // of this run
  std::uint64_t retransmissions_ = 0;
};

}  // namespace aggbox
