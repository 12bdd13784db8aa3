#include "aggbox/aggbox/pipeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "aggbox/aggbox/error.h"
#include "aggbox/aggbox/rank_list.h"

namespace aggbox {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLeastPatience{4};
constexpr milliseconds kMostPatience{128};
// Where a later chunk's result is here and this one's is not: it was lost, or is being overtaken.
constexpr milliseconds kLeastPatienceWithGap{1};
// Peers are looked after when nothing has come for so long.
constexpr milliseconds kQuiet{100};
constexpr milliseconds kBetweenOtherWork{1};

}  // namespace

Pipeline::Pipeline(const Membership& membership, KernelJob& kernel, Options options)
    : membership_(membership),
      kernel_(kernel),
      sender_(membership),
      options_(std::move(options)),
      shares_(membership.size()) {
  for (Share& share : shares_) share.sent_at.resize(membership.window);
}

void Pipeline::run(Exchange& exchange) {
  const std::size_t chunks = exchange.chunks();
  const std::size_t size = membership_.size();
  for (std::size_t owner = 0; owner < size; ++owner) {
    Share& share = shares_[owner];
    share.first = share.end;
    share.end += chunks / size + (owner < chunks % size ? 1 : 0);
  }
  hesitation_ = 1;
  Clock::time_point last_result = Clock::now();
  for (;;) {
    send_what_fits(exchange);
    if (read_results(exchange)) {
      last_result = Clock::now();
      hesitation_ = 1;
      continue;
    }
    if (in_flight() == 0) return;
    // Half of what is in flight: fewer wake-ups, and the window still moves. One that waits for too
    // much is helped by the time.
    kernel_.wait(std::max<std::uint64_t>(1, in_flight() / 2),
                 options_.while_waiting ? kBetweenOtherWork : kLeastPatience);
    const auto quiet = Clock::now() - last_result;
    if (options_.while_waiting && quiet >= kBetweenOtherWork) options_.while_waiting();
    if (quiet > kQuiet && options_.check_peers) options_.check_peers();
    if (quiet > options_.timeout) give_up();
    send_again_what_is_late(exchange);
  }
}

std::size_t Pipeline::chunk_of(std::uint32_t owner, std::uint64_t sequence) const {
  return (sequence - shares_[owner].first) * membership_.size() + owner;
}

std::uint64_t Pipeline::in_flight() const {
  std::uint64_t chunks = 0;
  for (const Share& share : shares_) chunks += share.sent - share.read;
  return chunks;
}

void Pipeline::send(Exchange& exchange, std::uint32_t owner, std::uint64_t sequence,
                    Clock::time_point now) {
  const std::size_t chunk = chunk_of(owner, sequence);
  exchange.put(chunk, sender_.add(owner, {.owner = owner,
                                          .sequence = sequence,
                                          .operation = exchange.operation(),
                                          .words = exchange.words(chunk)}));
  shares_[owner].sent_at[sequence % membership_.window] = now;
}

void Pipeline::send_what_fits(Exchange& exchange) {
  const Clock::time_point now = Clock::now();
  for (std::uint32_t step = 1; step <= membership_.size(); ++step) {
    // Beginning after one's own rank, so that not all send to the same owner at once. Its own
    // contributions are for this host's kernel.
    const std::uint32_t owner = (membership_.rank + step) % membership_.size();
    Share& share = shares_[owner];
    const std::uint64_t end = std::min(share.end, share.read + membership_.window);
    // Half a window at a time: few large super-packets.
    if (end < share.end && end - share.sent < membership_.window / 2) continue;
    for (; share.sent < end; ++share.sent) send(exchange, owner, share.sent, now);
    sender_.flush(owner);
  }
}

bool Pipeline::read_results(Exchange& exchange) {
  bool any = false;
  const Clock::time_point now = Clock::now();
  for (std::uint32_t owner = 0; owner < membership_.size(); ++owner) {
    Share& share = shares_[owner];
    while (share.read < share.sent) {
      const std::uint64_t* sum = kernel_.result(owner, share.read);
      if (!sum) break;
      exchange.get(chunk_of(owner, share.read), sum);
      // RFC 6298's average; a chunk that was sent again tells a shorter time than it took, which
      // the next ones mend.
      delay_ += (now - share.sent_at[share.read % membership_.window] - delay_) / 8;
      ++share.read;
      any = true;
    }
  }
  return any;
}

void Pipeline::send_again_what_is_late(Exchange& exchange) {
  const Clock::time_point now = Clock::now();
  const Clock::duration patience = std::min<Clock::duration>(
      std::max<Clock::duration>(kLeastPatience, 4 * delay_) * hesitation_, kMostPatience);
  const Clock::duration patience_with_gap =
      std::max<Clock::duration>(kLeastPatienceWithGap, 2 * delay_);
  bool any = false;
  for (std::uint32_t owner = 0; owner < membership_.size(); ++owner) {
    Share& share = shares_[owner];
    std::uint64_t last = share.sent;  // the last whose result is here
    while (last > share.read && !kernel_.result(owner, last - 1)) --last;
    for (std::uint64_t sequence = share.read; sequence < share.sent; ++sequence) {
      if (kernel_.result(owner, sequence) || now - share.sent_at[sequence % membership_.window] <
                                                 (sequence < last ? patience_with_gap : patience))
        continue;
      send(exchange, owner, sequence, now);
      ++retransmissions_;
      any = true;
    }
    sender_.flush(owner);
  }
  if (any) hesitation_ = std::min(2 * hesitation_, 128);
}

void Pipeline::give_up() const {
  const Share& own = shares_[membership_.rank];
  std::uint64_t missing = 0;
  if (own.read < own.sent) {
    missing = membership_.all_ranks() & ~kernel_.seen(own.read);
  } else {
    for (std::uint32_t owner = 0; owner < membership_.size(); ++owner) {
      if (shares_[owner].read < shares_[owner].sent) missing |= std::uint64_t{1} << owner;
    }
  }
  throw PeerError(fmt::format("rank {} did not answer rank {} for {} s", list_ranks(missing),
                              membership_.rank, options_.timeout.count() / 1000.0));
}

}  // namespace aggbox
