// Who takes part in a job.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace aggbox {

struct Member {
  std::array<std::uint8_t, 6> mac = {};
  std::uint32_t address = 0;  // IPv4, network order
};

struct Membership {
  std::uint32_t job = 0;                  // random; in every packet
  std::array<std::uint64_t, 2> key = {};  // of the packets' tags
  bool authenticate_payload = true;       // the tags cover payloads, too
  bool multicast = true;                  // is to be tried
  std::uint32_t window = 0;          // chunks of one owner in flight; a power of two, up to 256
  std::uint32_t rank = 0;            // this process
  std::vector<Member> members = {};  // by rank; 2 to 64

  std::uint32_t size() const { return static_cast<std::uint32_t>(members.size()); }
  std::uint64_t all_ranks() const { return ~std::uint64_t{0} >> (64 - size()); }  // as bits
};

}  // namespace aggbox
