// A TCP connection from every rank to every other, with what waits to be sent and what has come.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "aggbox/aggbox/descriptor.h"
#include "aggbox/aggbox/membership.h"
#include "aggbox/aggbox/rendezvous.h"

namespace aggbox {

class TcpMesh {
 public:
  struct Options {
    std::chrono::milliseconds join_timeout;
    std::chrono::milliseconds timeout;         // without a byte in or out, before a PeerError
    std::function<void()> while_waiting = {};  // if given: called every millisecond of waiting
  };
  // Returns when this rank is connected to all. Throws PeerError naming those that did not come.
  TcpMesh(const Membership& membership, Rendezvous& rendezvous, Options options);

  std::uint32_t rank() const { return membership_.rank; }
  std::uint32_t size() const { return membership_.size(); }

  // Bytes for a rank; they leave while wait() waits.
  void queue(std::uint32_t to, std::span<const std::uint8_t> bytes);
  std::size_t queued(std::uint32_t to) const;

  // What has come from a rank and was not taken.
  std::span<const std::uint8_t> arrived(std::uint32_t from) const;
  void take(std::uint32_t from, std::size_t bytes);

  // Sends what can be sent and receives from the ranks of `from` (bits), sleeping until either is
  // possible. Throws PeerError naming a rank that has left, or those that are waited for.
  void wait(std::uint64_t from);
  // Returns when nothing is queued.
  void flush();
  // Ends the connections: the others take this rank for one that has left. May be called from
  // another thread than the rest, whose calls then throw PeerError.
  void end();

 private:
  using Clock = std::chrono::steady_clock;

  struct Peer {
    Descriptor socket;
    std::vector<std::uint8_t> out, in;
    std::size_t out_begin = 0, in_begin = 0;
  };

  void connect_to_lower(const std::vector<std::uint16_t>& ports);
  void accept_higher(const Descriptor& listener);
  bool send_some(Peer& peer, std::uint32_t rank);
  bool receive_some(Peer& peer, std::uint32_t rank);

  Membership membership_;
  Options options_;
  Clock::time_point deadline_;
  std::vector<Peer> peers_;
};

}  // namespace aggbox
