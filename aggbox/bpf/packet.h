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

// The packet, or 0 if it is shorter than its headers. Asked for anew after every loop over the
// payload: a verifier that knew how far the loop has come would go through what follows once for
// each of 22 ends.
static __always_inline struct packet* packet_of(struct xdp_md* ctx) {
  struct packet* packet = (void*)(long)ctx->data;
  return (void*)(packet + 1) > (void*)(long)ctx->data_end ? 0 : packet;
}

// Is it one of ours by its port and magic, whatever else it says?
static __always_inline int is_ours(const struct packet* packet) {
  return packet->ethernet.h_proto == bpf_htons(ETH_P_IP) && packet->ip.version == 4 &&
         packet->ip.ihl == 5 && packet->ip.protocol == IPPROTO_UDP &&
         !(packet->ip.frag_off & bpf_htons(0x3fff)) && packet->udp.dest == bpf_htons(AGGBOX_PORT) &&
         packet->header.magic == AGGBOX_MAGIC;
}

// The packet if it is ours; else 0.
static __always_inline struct packet* find_packet(struct xdp_md* ctx) {
  struct packet* packet = packet_of(ctx);
  return packet && is_ours(packet) ? packet : 0;
}

// Do all the lengths agree?
static __always_inline int well_formed(const struct packet* packet, const void* end) {
  __u32 blocks = packet->header.blocks;
  __u32 payload = blocks * AGGBOX_BLOCK_WORDS * sizeof(__u64);
  return packet->header.version == AGGBOX_VERSION && packet->header.reserved == 0 && blocks >= 1 &&
         blocks <= AGGBOX_MAX_BLOCKS && (const void*)(packet + 1) + payload == end &&
         bpf_ntohs(packet->ip.tot_len) == sizeof(*packet) - sizeof(struct ethhdr) + payload &&
         bpf_ntohs(packet->udp.len) ==
             sizeof(*packet) - sizeof(struct ethhdr) - sizeof(struct iphdr) + payload;
}

// A payload: its words, how many blocks they are, and the end of what may be accessed.
struct payload {
  __u64* words;
  const __u8* blocks;
  const void* end;
};

// Read anew for every loop: a verifier that knew the number from one loop would go through the next
// ones for each of 22 numbers.
static __always_inline __u32 blocks_of(const struct payload* payload) {
  return *(const volatile __u8*)payload->blocks;
}

static __always_inline struct payload payload_of(struct xdp_md* ctx, struct packet* packet) {
  return (struct payload){.words = (__u64*)(packet + 1),
                          .blocks = &packet->header.blocks,
                          .end = (void*)(long)ctx->data_end};
}

static __always_inline __u16 ip_checksum(const struct iphdr* ip) {
  const __u16* half = (const void*)ip;
  __u32 sum = 0;
  for (int i = 0; i < 10; i++) sum += i == 5 ? 0 : half[i];
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return ~sum;
}
