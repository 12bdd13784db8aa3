// Packets of a job of three ranks, of which rank 0 is this host.
#pragma once

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/udp.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "aggbox/aggbox/membership.h"
#include "aggbox/aggbox/packet_tag.h"

namespace aggbox {

inline Membership three_ranks(std::uint32_t window = 4) {
  Membership membership = {.job = 0x1234abcd,
                           .key = {0x0706050403020100, 0x0f0e0d0c0b0a0908},
                           .authenticate_payload = true,
                           .window = window,
                           .rank = 0};
  for (std::uint8_t rank = 0; rank < 3; ++rank) {
    membership.members.push_back(
        {.mac = {2, 0, 0, 0, 0, rank}, .address = htonl(0x0a000001U + rank)});
  }
  return membership;
}

#pragma pack(push, 1)
struct PacketHeaders {
  ethhdr ethernet;
  iphdr ip;
  udphdr udp;
  aggbox_header header;
};
#pragma pack(pop)
static_assert(sizeof(PacketHeaders) == AGGBOX_PAYLOAD_OFFSET);

struct Packet {
  PacketHeaders headers = {};
  std::vector<std::uint64_t> values;

  void sign() {
    const aggbox_header header = headers.header;
    std::vector<std::uint64_t> payload = values;
    payload.resize(AGGBOX_MAX_WORDS);
    headers.header.tag = PacketTag(three_ranks()).of(header, payload.data());
  }
  std::vector<std::uint8_t> bytes() const {
    std::vector<std::uint8_t> bytes(sizeof headers + values.size() * sizeof(std::uint64_t));
    std::memcpy(bytes.data(), &headers, sizeof headers);
    std::memcpy(bytes.data() + sizeof headers, values.data(), bytes.size() - sizeof headers);
    return bytes;
  }
  static Packet from(const std::vector<std::uint8_t>& bytes) {
    Packet packet;
    std::memcpy(&packet.headers, bytes.data(), sizeof packet.headers);
    packet.values.resize((bytes.size() - sizeof packet.headers) / sizeof(std::uint64_t));
    std::memcpy(packet.values.data(), bytes.data() + sizeof packet.headers,
                packet.values.size() * sizeof(std::uint64_t));
    return packet;
  }
};

// All values of the payload are `value`.
inline Packet packet_of(aggbox_type type, std::uint8_t source, std::uint8_t owner,
                        std::uint64_t sequence, std::uint64_t value, std::uint8_t blocks = 1) {
  const Membership membership = three_ranks();
  Packet packet;
  packet.values.assign(blocks * AGGBOX_BLOCK_WORDS, value);
  PacketHeaders& headers = packet.headers;
  const std::size_t bytes = sizeof headers + packet.values.size() * sizeof(std::uint64_t);
  std::memcpy(headers.ethernet.h_source, membership.members[source].mac.data(), ETH_ALEN);
  std::memcpy(headers.ethernet.h_dest, membership.members[0].mac.data(), ETH_ALEN);
  headers.ethernet.h_proto = htons(ETH_P_IP);
  headers.ip.version = 4;
  headers.ip.ihl = 5;
  headers.ip.protocol = 17;
  headers.ip.ttl = 64;
  headers.ip.tot_len = htons(static_cast<std::uint16_t>(bytes - sizeof(ethhdr)));
  headers.ip.saddr = membership.members[source].address;
  headers.ip.daddr = membership.members[0].address;
  headers.udp.dest = htons(AGGBOX_PORT);
  headers.udp.len = htons(static_cast<std::uint16_t>(bytes - sizeof(ethhdr) - sizeof(iphdr)));
  headers.header = {.magic = AGGBOX_MAGIC,
                    .version = AGGBOX_VERSION,
                    .type = static_cast<std::uint8_t>(type),
                    .source = source,
                    .owner = owner,
                    .job = membership.job,
                    .operation = AGGBOX_SUM_32,
                    .blocks = blocks,
                    .reserved = 0,
                    .sequence = sequence,
                    .ranks = type == AGGBOX_RESULT || type == AGGBOX_BROADCAST ? 7U : 1U << source,
                    .tag = 0};
  packet.sign();
  return packet;
}

// One packet of many segments, all but the last of one length.
inline std::vector<std::uint8_t> super_packet(const std::vector<Packet>& segments) {
  std::vector<std::uint8_t> bytes = segments[0].bytes();
  for (std::size_t i = 1; i < segments.size(); ++i) {
    const std::vector<std::uint8_t> next = segments[i].bytes();
    bytes.insert(bytes.end(), next.begin() + AGGBOX_HEADER_OFFSET, next.end());
  }
  const auto put = [&](std::size_t at, std::size_t length) {
    bytes[at] = static_cast<std::uint8_t>(length >> 8);
    bytes[at + 1] = static_cast<std::uint8_t>(length);
  };
  put(16, bytes.size() - sizeof(ethhdr));
  put(38, bytes.size() - sizeof(ethhdr) - sizeof(iphdr));
  return bytes;
}

// Segment `index` of segments of `blocks` blocks, as a packet of its own.
inline Packet segment_of(const std::vector<std::uint8_t>& super_packet, std::size_t index,
                         std::size_t blocks = 1) {
  const std::size_t stride = sizeof(aggbox_header) + blocks * 64;
  std::vector<std::uint8_t> bytes(super_packet.begin(),
                                  super_packet.begin() + AGGBOX_HEADER_OFFSET);
  const auto first =
      super_packet.begin() + static_cast<std::ptrdiff_t>(AGGBOX_HEADER_OFFSET + index * stride);
  bytes.insert(bytes.end(), first, first + static_cast<std::ptrdiff_t>(stride));
  return Packet::from(bytes);
}

}  // namespace aggbox
