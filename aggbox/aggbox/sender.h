// Packets of a job on their way: segments of one length leave the process as one super-packet,
// which the kernel or the driver cuts (UDP_SEGMENT) where nobody takes it whole.
#pragma once

#include <cstdint>
#include <vector>

#include "aggbox/aggbox/descriptor.h"
#include "aggbox/aggbox/membership.h"
#include "aggbox/aggbox/packet_tag.h"

namespace aggbox {

class Sender {
 public:
  explicit Sender(const Membership& membership);

  struct Chunk {
    aggbox_type type = AGGBOX_CONTRIBUTION;
    std::uint32_t owner = 0;
    std::uint64_t sequence = 0;
    aggbox_operation operation = AGGBOX_SUM_64;
    std::size_t words = 0;
  };
  // Where to write the chunk's words, on the way to a rank: to the own one, they are for this
  // host's kernel; `everybody()`: for this host's kernel to send on, to the ranks that it was told.
  // They leave with flush(), or earlier when a super-packet is full.
  std::uint64_t* add(std::uint32_t to, const Chunk& chunk);
  void flush(std::uint32_t to);

  std::uint32_t everybody() const { return membership_.size(); }

 private:
  struct SuperPacket {
    std::vector<std::uint64_t> words;
    std::size_t stride = 0;  // words of all segments but the last, which may be shorter
    std::size_t segments = 0;
    bool closed = false;  // the last segment is a shorter one
  };

  void sign(SuperPacket& packet) const;

  Membership membership_;
  PacketTag tag_;
  Descriptor socket_;
  std::vector<SuperPacket> super_packets_;  // by destination
};

}  // namespace aggbox
