// A group of processes on hosts of one Ethernet, one rank each, whose collectives run in the hosts'
// kernels.
//
// Every rank makes the same calls in the same order. N is the number of ranks, B the bytes of the
// values.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <span>
#include <string>

namespace aggbox {

struct GroupOptions {
  std::string interface;    // the one that is up for AggBox: `aggbox up --interface e0`
  std::string coordinator;  // where rank 0 listens, "ADDRESS:PORT"
  std::uint32_t rank = 0;
  std::uint32_t size = 0;  // N, 2 to 64
  std::uint32_t window =
      64;  // rank 0's counts: chunks of 1408 bytes of an owner in flight; a power of two, 2 to 256
  // Rank 0's counts. False where nobody can change packets on their way: faster, and bits that
  // change are found only by the wire's own checksums.
  bool authenticate_payload = true;
  // Rank 0's counts. What is for all ranks goes to a multicast MAC, once, where the network carries
  // that, which is tried when the group begins; else, or if false, to each of them.
  bool multicast = true;
  std::chrono::milliseconds timeout =
      std::chrono::seconds(10);  // without any progress, before a call fails
};

enum class Reduction { kSum, kMean };

// What happened in this rank's kernel and process since it joined.
struct Counters {
  std::uint64_t added = 0;       // contributions of others, and own
  std::uint64_t completed = 0;   // chunks
  std::uint64_t repeated = 0;    // stored results sent once more
  std::uint64_t stored = 0;      // results of other owners
  std::uint64_t duplicates = 0;  // dropped
  std::uint64_t stale = 0;       // dropped
  std::uint64_t rejected =
      0;  // dropped: malformed, forged, not of the group, of another round or shape
  std::uint64_t retransmissions = 0;
};

// The end of a collective that was started. The values must stay where they are until wait() has
// returned.
class Handle {
 public:
  // Throws what the collective threw.
  void wait() { done_.get(); }

 private:
  friend class Group;
  explicit Handle(std::future<void> done) : done_(std::move(done)) {}
  std::future<void> done_;
};

class Group {
 public:
  // Returns when all ranks have joined. Throws UnavailableError where this host cannot (rights,
  // kernel, interface not up), PeerError naming the ranks that did not come in time.
  explicit Group(const GroupOptions& options);
  // Waits for the others to be done as well, up to the timeout.
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  std::uint32_t rank() const;
  std::uint32_t size() const;
  // Whether the network replicates what is for all.
  bool multicast() const;

  // values: this rank's, and afterwards the sum over ranks, in two steps and about 2 (N-1)/N B sent
  // and received by a rank. Integers wrap. Floats: exact order-free sums of block floats
  // (block_float.h) with an error of at most N^2 2^-30 of the largest value among 352 neighbours;
  // two steps more, for exponents, where N B > 1408. Bitwise the same on all ranks and in every
  // run. Throws PeerError naming a rank that has left or does not answer; the group is of no use
  // after that.
  void all_reduce(std::span<std::int32_t> values);
  void all_reduce(std::span<std::int64_t> values);
  void all_reduce(std::span<float> values, Reduction reduction = Reduction::kSum);

  // The same without waiting. Collectives that were started run one after another, in this order.
  Handle start_all_reduce(std::span<std::int32_t> values);
  Handle start_all_reduce(std::span<std::int64_t> values);
  Handle start_all_reduce(std::span<float> values, Reduction reduction = Reduction::kSum);

  // bytes: the root's, and afterwards everybody's. Returns on the root when the kernels of all
  // hosts have it, on the others when it is here: one step and the acknowledgment; the root sends
  // (N-1) B. Throws PeerError as above.
  void broadcast(std::span<std::uint8_t> bytes, std::uint32_t root);

  // Returns when all ranks have called it. Two steps.
  void barrier();

  Counters counters() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace aggbox
