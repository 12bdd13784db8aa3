// The tags of a job's packets (bpf/siphash.h), as its process makes them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "aggbox/aggbox/membership.h"
#include "aggbox/bpf/siphash.h"

namespace aggbox {

class PacketTag {
 public:
  explicit PacketTag(const Membership& membership)
      : key_{{membership.key[0], membership.key[1]}},
        authenticate_payload_(membership.authenticate_payload) {
    for (std::uint32_t i = 0; i < AGGBOX_MAX_WORDS; ++i)
      payload_key_[i] = aggbox_payload_key(&key_, i);
  }

  // payload: header.blocks blocks, at most a chunk.
  std::uint64_t of(const aggbox_header& header, const std::uint64_t* payload) const {
    if (!authenticate_payload_) return aggbox_tag(&key_, &header, 0);
    std::uint64_t hash = 0;
    const std::size_t words =
        std::min(std::size_t{header.blocks} * AGGBOX_BLOCK_WORDS, payload_key_.size());
    for (std::size_t i = 0; i < words; ++i) hash += aggbox_hash_word(payload[i], payload_key_[i]);
    return aggbox_tag(&key_, &header, hash);
  }

 private:
  aggbox_key key_;
  bool authenticate_payload_;
  std::array<std::uint64_t, AGGBOX_MAX_WORDS> payload_key_;
};

}  // namespace aggbox
