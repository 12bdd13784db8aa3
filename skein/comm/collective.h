// The collectives as messages between every two ranks. Ranks come in one by one: who is missing is
// known everywhere, and sums are made in the order of the ranks.
//
// With N ranks and B bytes a rank sends 2 B (N - 1) / N in two rounds, which no algorithm can beat
// in bytes (Patarasuk & Yuan 2009), or B (N - 1) in one round where B is small.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "skein/comm/communicator.h"
#include "skein/comm/transport.h"

namespace skein {

// A rank's part of one collective, on its way.
class Collective {
 public:
  virtual ~Collective() = default;
  // Goes on as far as messages have come, and never waits; true once this rank's part is over.
  virtual bool advance() = 0;
  // The ranks that it waits for.
  virtual std::vector<int> missing() const = 0;
};

// Where its messages go: two tags, `tag` and the next, that no other collective on its way uses.
struct Channel {
  Transport& transport;
  int tag = 0;
};

// Each sends its first messages, but waits for none. As Communicator's of the same name.
std::unique_ptr<Collective> begin_all_reduce(Channel channel, Values values, Reduction reduction);
std::unique_ptr<Collective> begin_broadcast(Channel channel, std::span<std::byte> bytes, int root);
// `gathered` is filled when it is over; without `root` on every rank.
std::unique_ptr<Collective> begin_gather(Channel channel, std::string bytes,
                                         std::optional<int> root,
                                         std::shared_ptr<Gathered> gathered);
std::unique_ptr<Collective> begin_barrier(Channel channel);

}  // namespace skein
