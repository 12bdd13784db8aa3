// A group of processes on hosts of one Ethernet, one rank each, whose collectives run in the hosts'
// kernels; or, where those cannot, in the processes over TCP, with the same results.
//
// Every rank makes the same calls in the same order. N is the number of ranks, B the bytes of the
// values.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <span>
#include <string>

#include "aggbox/aggbox/reduction.h"

namespace aggbox {

// Where collectives are done. kAny: in the kernels, and where one of the hosts cannot, over TCP,
// which rank 0 says in a line on stderr.
enum class Path { kAny, kKernel, kTcp };

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
  std::chrono::milliseconds join_timeout =
      std::chrono::seconds(10);  // for all ranks to join, before the constructor fails
  // If given: called about every millisecond by a collective that waits for others, on the thread
  // that runs it. For programs that owe others something meanwhile.
  std::function<void()> while_waiting = {};
  // One rank that asks for kTcp has all go that way. kKernel: where that is not possible, the
  // constructor fails.
  Path path = Path::kAny;
};

// bfloat16: the upper half of a float32.
struct Bfloat16 {
  std::uint16_t bits = 0;
};

enum class Type { kInt32, kInt64, kUint32, kUint64, kFloat32, kBfloat16 };

// Where values lie, and what they are.
struct Values {
  Values(Type values_type, void* values, std::size_t values_size)
      : type(values_type), data(values), size(values_size) {}
  Values(std::span<std::int32_t> values) : Values(Type::kInt32, values.data(), values.size()) {}
  Values(std::span<std::int64_t> values) : Values(Type::kInt64, values.data(), values.size()) {}
  Values(std::span<std::uint32_t> values) : Values(Type::kUint32, values.data(), values.size()) {}
  Values(std::span<std::uint64_t> values) : Values(Type::kUint64, values.data(), values.size()) {}
  Values(std::span<float> values) : Values(Type::kFloat32, values.data(), values.size()) {}
  Values(std::span<Bfloat16> values) : Values(Type::kBfloat16, values.data(), values.size()) {}

  Type type;
  void* data;
  std::size_t size;  // how many
};

// Of sums and means of floats.
struct FloatOptions {
  Lanes lanes = Lanes::kInt32;
  // float32: as long as the values, or empty. What the values lose when they become lanes stays
  // here and is added to them the next time.
  std::span<float> residual = {};
};

// What happened in this rank's kernel and process since it joined; over TCP, nothing of it does.
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

// The end of what was started.
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
  // Returns when all ranks have joined. Throws UnavailableError where this host has no such
  // interface, or a host has not what Path::kKernel needs (rights, kernel, interface up); PeerError
  // naming the ranks that did not come in time.
  explicit Group(const GroupOptions& options);
  // Waits for the others to be done as well, up to the timeout.
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  std::uint32_t rank() const;
  std::uint32_t size() const;
  // kKernel or kTcp.
  Path path() const;
  // Whether the network replicates what is for all.
  bool multicast() const;

  // values: this rank's, and afterwards what they give over all ranks: two steps, and about
  // 2 (N-1)/N B sent and received by a rank; where the network replicates, (N-1)/N B + B/N sent.
  // Integers: sums (which wrap), minima, maxima and bit operations, exact. Floats: minima and
  // maxima, exact, where -0 < 0 and NaN is above all; sums and means of block floats
  // (block_float.h), whose error is at most N^2 2^-30 (kInt16: 2^-14, kInt8: 2^-5) of the largest
  // value among 352 neighbours; two steps more, for exponents, where 4 N bytes a value are more
  // than 1408; NaN and infinities follow IEEE 754. Bitwise the same on all ranks and in every run.
  // Throws Error where a type does not have the reduction, PeerError naming a rank that has left or
  // does not answer; the group is of no use after that.
  void all_reduce(Values values, Reduction reduction = Reduction::kSum,
                  const FloatOptions& floats = {});

  // The same; only the root's values are of use afterwards. Costs what all_reduce does.
  void reduce(Values values, std::uint32_t root, Reduction reduction = Reduction::kSum,
              const FloatOptions& floats = {});

  // The same; only part `rank` of N equal parts of the values is of use afterwards. Costs what
  // all_reduce does. Throws Error where the parts are not equal.
  void reduce_scatter(Values values, Reduction reduction = Reduction::kSum,
                      const FloatOptions& floats = {});

  // bytes: N equal parts, of which part `rank` is this rank's; afterwards everybody's. N
  // broadcasts. Throws Error where the parts are not equal.
  void all_gather(std::span<std::uint8_t> bytes);

  // Calls collectives of this group without waiting for them. What was started runs in this order,
  // and before what is called later. The values must stay where they are until wait().
  Handle start(std::function<void()> collectives);

  // bytes: the root's, and afterwards everybody's. Returns on the root when the kernels of all
  // hosts have it, on the others when it is here: one step and the acknowledgment; the root sends
  // (N-1) B. Throws PeerError as above.
  void broadcast(std::span<std::uint8_t> bytes, std::uint32_t root);

  // Returns when all ranks have called it. Two steps.
  void barrier();

  // Ends this rank's part at once: what it has started fails, and the others' calls, which name it.
  // Nothing but the destructor may follow.
  void abandon();

  Counters counters() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace aggbox
