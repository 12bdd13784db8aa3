// Moves an exchange's chunks through the owners' kernels, a window of them at a time.
//
// Chunk c belongs to rank c % N. Every owner numbers the chunks that it adds, over all exchanges:
// that number, the sequence, is the same on all ranks because all run the same exchanges in the
// same order. The contribution to chunk s + window of an owner leaves only when the result of its
// chunk s has been read; that alone makes the owner's slots safe to use again (bpf/slot.h).
//
// Cost of an exchange of B bytes: a rank sends and receives about 2 (N-1)/N B, in two steps: to the
// owners, and back.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "aggbox/aggbox/exchanger.h"
#include "aggbox/aggbox/kernel_job.h"
#include "aggbox/aggbox/membership.h"
#include "aggbox/aggbox/sender.h"

namespace aggbox {

class Pipeline : public Exchanger {
 public:
  struct Options {
    std::chrono::milliseconds timeout;  // without any result, before a PeerError
    std::function<void()> check_peers;  // called while waiting for long; throws if one has left
    std::function<void()> while_waiting = {};  // if given: called every millisecond of waiting
  };
  Pipeline(const Membership& membership, KernelJob& kernel, Options options);

  void run(Exchange& exchange) override;

  std::uint64_t retransmissions() const { return retransmissions_; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Share {              // of one owner
    std::uint64_t first = 0;  // sequence of its first chunk in this exchange
    std::uint64_t end = 0;
    std::uint64_t sent = 0;                  // contributions have left up to here
    std::uint64_t read = 0;                  // results have been read up to here
    std::vector<Clock::time_point> sent_at;  // by slot
  };

  std::size_t chunk_of(std::uint32_t owner, std::uint64_t sequence) const;
  std::uint64_t in_flight() const;
  void send_what_fits(Exchange& exchange);
  bool read_results(Exchange& exchange);
  void send_again_what_is_late(Exchange& exchange);
  void send(Exchange& exchange, std::uint32_t owner, std::uint64_t sequence, Clock::time_point now);
  [[noreturn]] void give_up() const;

  Membership membership_;
  KernelJob& kernel_;
  Sender sender_;
  Options options_;
  std::vector<Share> shares_;
  Clock::duration delay_{};  // from a contribution to its result, on average
  int hesitation_ = 1;       // doubles while nothing comes
  std::uint64_t retransmissions_ = 0;
};

}  // namespace aggbox
