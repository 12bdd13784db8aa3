// What training sees of the other processes: collectives over numbers and bytes. Processes are
// numbered by rank, from 0; each calls the same collectives in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "skein/base/error.h"

namespace skein {

enum class Reduction { kSum, kMaximum };

using Values = std::variant<std::span<float>, std::span<double>, std::span<int64_t>>;
using Gathered = std::vector<std::string>;  // [size] bytes, by rank

// What a collective waits for. Its time-out counts
enum class Patience {
  kPrompt,      // from its begin here: the other ranks are at the same work
  kWhileAlive,  // from a missing rank's last sign of life: it may be busy with work of its own
};

// A rank that did not come in time, or a link that broke.
class CommunicationError : public Error {
 public:
  using Error::Error;
};

// Another rank has ended with an error, of which it tells the user itself.
class EndedByAnotherRank : public CommunicationError {
 public:
  EndedByAnotherRank(const std::string& sentence, bool usage)
      : CommunicationError(sentence), usage_(usage) {}
  bool usage() const { return usage_; }  // that error is a UsageError

 private:
  bool usage_;
};

// Every collective may be started, and then be waited for by get() of what that returned, which
// throws what went wrong: CommunicationError. Several may be on their way. What they read and write
// must stay where it is, and may not be touched, until get() has returned. A communicator is used
// by one thread.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  // "MPI (Open MPI 4.1.4)"
  virtual std::string description() const = 0;
  // The names of the ranks' machines, by rank.
  virtual const std::vector<std::string>& hosts() const = 0;

  // Every element becomes the sum, or the largest, of all ranks'; the same to the bit on every
  // rank, and whatever the timing. The same number and type of elements on every rank.
  virtual std::future<void> start_all_reduce(Values values, Reduction reduction) = 0;
  // Every rank's bytes become those of `root`; the same number on every rank.
  virtual std::future<void> start_broadcast(std::span<std::byte> bytes, int root,
                                            Patience patience) = 0;
  // Of any number of bytes, which may differ.
  virtual std::future<Gathered> start_all_gather(std::string bytes, Patience patience) = 0;
  // The same, but only `root` gets them; the others' is empty.
  virtual std::future<Gathered> start_gather(std::string bytes, int root, Patience patience) = 0;
  // Over when every rank has come.
  virtual std::future<void> start_barrier(Patience patience) = 0;

  // Before this rank ends with an error that it tells the user: the others' collectives then throw
  // EndedByAnotherRank. Nothing but the destructor may follow. Does not throw.
  virtual void leave(std::string_view sentence, bool usage) = 0;

  void all_reduce(Values values, Reduction reduction) { start_all_reduce(values, reduction).get(); }
  void broadcast(std::span<std::byte> bytes, int root = 0, Patience patience = Patience::kPrompt) {
    start_broadcast(bytes, root, patience).get();
  }
  Gathered all_gather(std::string bytes, Patience patience = Patience::kPrompt) {
    return start_all_gather(std::move(bytes), patience).get();
  }
  Gathered gather(std::string bytes, int root = 0, Patience patience = Patience::kPrompt) {
    return start_gather(std::move(bytes), root, patience).get();
  }
  void barrier(Patience patience = Patience::kPrompt) { start_barrier(patience).get(); }
};

}  // namespace skein
