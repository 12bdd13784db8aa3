// The collectives in user space, over TCP: what the kernels do, done by the ranks' processes, where
// a host has no right to the kernel path or was asked not to use it. The same exchanges, so the
// same results to the bit.
//
// Chunk c belongs to rank c % N, whose process adds the contributions of all and sends the sum to
// all. A rank sends an owner chunk s + window when it has the result of chunk s. Cost of an
// exchange of B bytes: a rank sends and receives about 2 (N-1)/N B, in two steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggbox/aggbox/exchanger.h"
#include "aggbox/aggbox/tcp_mesh.h"

namespace aggbox {

class TcpPath : public Exchanger {
 public:
  TcpPath(const Membership& membership, Rendezvous& rendezvous, TcpMesh::Options options);

  void run(Exchange& exchange) override;

  // bytes: the root's, and afterwards everybody's. Returns on the root when the processes of all
  // have it, on others when it is here. The root sends (N-1) B.
  void broadcast(std::span<std::uint8_t> bytes, std::uint32_t root);

  // As TcpMesh::end().
  void end() { mesh_.end(); }

 private:
  struct Share {  // of one owner, in chunks of this exchange
    std::size_t chunks = 0;
    std::size_t sent = 0;         // contributions have left up to here
    std::size_t read = 0;         // results have been read up to here
    std::size_t contributed = 0;  // contributions of that rank to this one's share
  };
  struct Sum {  // of a chunk of this rank's share
    std::vector<std::uint64_t> words;
    std::uint32_t contributions = 0;
  };

  std::size_t chunk_of(std::uint32_t owner, std::size_t place) const;
  void send_what_fits(Exchange& exchange);
  void add(Exchange& exchange, std::size_t place, std::span<const std::uint64_t> words);
  bool read_frames(Exchange& exchange, std::uint32_t from);
  std::uint64_t awaited() const;
  void send_to_all(std::span<const std::uint8_t> bytes);
  void receive_from(std::uint32_t root, std::span<std::uint8_t> bytes);

  TcpMesh mesh_;
  std::size_t window_;
  std::vector<Share> shares_;
  std::vector<Sum> sums_;  // by place % window
};

}  // namespace aggbox
