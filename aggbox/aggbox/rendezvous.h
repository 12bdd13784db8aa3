// How the processes of a group find each other, over TCP: rank 0 listens, the others connect to it.
// The connections stay open, so a process that ends, however it does, is noticed at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggbox/aggbox/descriptor.h"
#include "aggbox/aggbox/membership.h"

namespace aggbox {

struct Meeting {
  std::string coordinator;  // rank 0's "ADDRESS:PORT", IPv4
  std::uint32_t rank = 0;
  std::uint32_t size = 0;
  Member self;
  std::chrono::milliseconds timeout = std::chrono::seconds(30);
};

class Rendezvous {
 public:
  // Waits for all. Throws PeerError naming the ranks that did not come in time.
  explicit Rendezvous(const Meeting& meeting);

  // Rank 0's choice of job, key and window, to all, with the table of members.
  Membership agree(Membership choice);

  // Returns when all have called it. Throws PeerError naming a rank that has left instead.
  void meet(std::chrono::milliseconds timeout);

  // Ends the links to the others, who take this rank for one that has left. May be called from
  // another thread than the rest.
  void end();

  // Every rank's word, by rank. Throws PeerError as meet() does.
  std::vector<std::uint16_t> gather(std::uint16_t own, std::chrono::milliseconds timeout);

  // The sentence of the lowest rank that has one, with its number; empty where none has. The same
  // on all ranks. Throws PeerError as meet() does.
  std::string first_sentence(const std::string& own, std::chrono::milliseconds timeout);

  // A rank whose process has ended, if one has.
  std::optional<std::uint32_t> departed() const;

 private:
  // own: of `bytes` bytes. all: every rank's, by rank.
  void gather_bytes(const void* own, std::size_t bytes, void* all,
                    std::chrono::milliseconds timeout);
  void gather_hellos();
  void say_hello();
  void send(const Descriptor& peer, const void* data, std::size_t bytes) const;
  void receive(const Descriptor& peer, void* data, std::size_t bytes) const;
  std::uint32_t rank_of(const Descriptor& peer) const;

  Meeting meeting_;
  std::chrono::steady_clock::time_point deadline_;
  std::vector<Member> members_;
  std::vector<Descriptor> peers_;  // of rank 0: by rank, its own empty; of others: rank 0
};

}  // namespace aggbox
