// Finding and checking the headers of a packet.
#pragma once

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>

#include "wire.h"

struct packet {
  struct ethhdr ethernet;
  struct iphdr ip;
  struct udphdr udp;
  struct aggbox_header header;
} __attribute__((packed));

_Static_assert(sizeof(struct packet) == AGGBOX_PAYLOAD_OFFSET, "headers and payload");

// On the stack, where words must be aligned.
struct aligned_packet {
  __u8 padding[6];
  struct packet packet;
} __attribute__((aligned(8)));

// Is it one of ours by its port and magic, whatever else it says?
static __always_inline int is_ours(const struct packet* packet) {
  return packet->ethernet.h_proto == bpf_htons(ETH_P_IP) && packet->ip.version == 4 &&
         packet->ip.ihl == 5 && packet->ip.protocol == IPPROTO_UDP &&
         !(packet->ip.frag_off & bpf_htons(0x3fff)) && packet->udp.dest == bpf_htons(AGGBOX_PORT) &&
         packet->header.magic == AGGBOX_MAGIC;
}

static __always_inline __u16 ip_checksum(const struct iphdr* ip) {
  const __u16* half = (const void*)ip;
  __u32 sum = 0;
  for (int i = 0; i < 10; i++) sum += i == 5 ? 0 : half[i];
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return ~sum;
}
