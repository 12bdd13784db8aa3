// A job's settings, maps and counters: what its programs have in common.
#pragma once

#include <linux/bpf.h>
#include <linux/pkt_cls.h>

#include "packet.h"
#include "shared.h"

// Set by the library before it loads the programs: constants to the verifier and the JIT.
const volatile __u32 job;
const volatile __u32 rank;
const volatile __u32 ranks;   // how many
const volatile __u32 window;  // slots of an owner, a power of two
const volatile __u32 interface;
const volatile struct aggbox_key key;
const volatile __u32 authenticate_payload;  // 0 or 1
__u64 payload_key[AGGBOX_MAX_WORDS];  // aggbox_payload_key(); no constant, or the verifier computes
                                      // with each word
const volatile struct aggbox_member members[AGGBOX_MAX_RANKS];

__u64 events[AGGBOX_EVENTS];

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct aggbox_control);
} control SEC(".maps");

static __always_inline void count(enum aggbox_event event) {
  __sync_fetch_and_add(&events[event], 1);
}

static __always_inline __u64 all_ranks(void) { return ~0ull >> (AGGBOX_MAX_RANKS - ranks); }

// One segment, copied out of its packet. Words after its blocks are of no meaning.
struct segment {
  struct aggbox_header header;
  __u64 values[AGGBOX_MAX_WORDS];
};

// Loops over values have no exit on the way, after each of which the verifier would go through all
// that follows: they are of one of two lengths.
#define AGGBOX_FEW_BLOCKS 2

// Of blocks that are not there: 0.
static __always_inline __u64 hash_words(const __u64* words, __u32 blocks, __u32 most) {
  __u64 sum = 0;
  for (__u32 block = 0; block < most; block++) {
    __u64 hash = 0;
#pragma unroll
    for (int i = 0; i < AGGBOX_BLOCK_WORDS; i++)
      hash += aggbox_hash_word(words[block * AGGBOX_BLOCK_WORDS + i],
                               payload_key[block * AGGBOX_BLOCK_WORDS + i]);
    __u64 is_there = (__u64)block - blocks;
    barrier_var(
        is_there);  // or the compiler finds that it is a comparison, and makes a branch of it
    is_there = (__s64)is_there >> 63;  // all bits, or none
    barrier_var(is_there);
    sum += hash & is_there;
  }
  return sum;
}

static __always_inline __u64 hash_values(const __u64* values, __u32 blocks) {
  if (!authenticate_payload) return 0;
  return blocks <= AGGBOX_FEW_BLOCKS ? hash_words(values, blocks, AGGBOX_FEW_BLOCKS)
                                     : hash_words(values, blocks, AGGBOX_MAX_BLOCKS);
}

static __always_inline __u64 job_tag(const struct aggbox_header* header, const __u64* values) {
  const struct aggbox_key own_key = {{key.word[0], key.word[1]}};
  return aggbox_tag(&own_key, header, hash_values(values, header->blocks));
}

static __always_inline void copy_blocks(__u64* to, const __u64* from, __u32 blocks) {
  for (__u32 i = 0; i < blocks * AGGBOX_BLOCK_WORDS; i += AGGBOX_BLOCK_WORDS) {
#pragma unroll
    for (int j = 0; j < AGGBOX_BLOCK_WORDS; j++) to[i + j] = from[i + j];
  }
}

static __always_inline void copy_values(__u64* to, const __u64* from, __u32 blocks) {
  if (blocks <= AGGBOX_FEW_BLOCKS)
    copy_blocks(to, from, AGGBOX_FEW_BLOCKS);
  else
    copy_blocks(to, from, AGGBOX_MAX_BLOCKS);
}

// Do rank, IPv4 address and MAC belong together, and is it another member's?
static __always_inline int is_from_member(const struct packet* packet) {
  __u32 source = packet->header.source;
  if (source >= ranks || source >= AGGBOX_MAX_RANKS || source == rank) return 0;
  const volatile struct aggbox_member* member = &members[source];
  if (packet->ip.saddr != member->address) return 0;
  for (int i = 0; i < ETH_ALEN; i++)
    if (packet->ethernet.h_source[i] != member->mac[i]) return 0;
  return 1;
}

static __always_inline void finish_addresses(struct packet* packet) {
  const volatile struct aggbox_member* from = &members[rank % AGGBOX_MAX_RANKS];
  for (int i = 0; i < ETH_ALEN; i++) packet->ethernet.h_source[i] = from->mac[i];
  packet->ip.saddr = from->address;
  packet->ip.ttl = 64;
  packet->ip.check = ip_checksum(&packet->ip);
  packet->udp.check = 0;
}

// Makes the packet one from this rank to `destination`.
static __always_inline void address(struct packet* packet, __u32 destination) {
  const volatile struct aggbox_member* to = &members[destination % AGGBOX_MAX_RANKS];
  for (int i = 0; i < ETH_ALEN; i++) packet->ethernet.h_dest[i] = to->mac[i];
  packet->ip.daddr = to->address;
  finish_addresses(packet);
}

// Or to all others.
static __always_inline void address_all(struct packet* packet) {
  packet->ethernet.h_dest[0] = AGGBOX_GROUP_MAC_0;
  packet->ethernet.h_dest[1] = AGGBOX_GROUP_MAC_1;
  for (int i = 0; i < 4; i++) packet->ethernet.h_dest[2 + i] = job >> 8 * i;
  packet->ip.daddr = bpf_htonl(AGGBOX_GROUP_ADDRESS);
  finish_addresses(packet);
}

static __always_inline int network_replicates(void) {
  __u32 zero = 0;
  struct aggbox_control* shared = bpf_map_lookup_elem(&control, &zero);
  return shared && *(volatile __u64*)&shared->multicast;
}
