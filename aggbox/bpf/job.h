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

static __always_inline int count(enum aggbox_event event) {
  __sync_fetch_and_add(&events[event], 1);
  return XDP_DROP;
}

// At TC.
static __always_inline int count_and_drop(enum aggbox_event event) {
  count(event);
  return TC_ACT_SHOT;
}

static __always_inline __u64 all_ranks(void) { return ~0ull >> (AGGBOX_MAX_RANKS - ranks); }

static __always_inline __u64 hash_payload(const struct payload* payload) {
  if (!authenticate_payload) return 0;
  __u32 blocks = blocks_of(payload);
  __u64 sum = 0;
  for (__u32 block = 0; block < AGGBOX_MAX_BLOCKS; block++) {
    const __u64* words = payload->words + block * AGGBOX_BLOCK_WORDS;
    if (block >= blocks || (const void*)(words + AGGBOX_BLOCK_WORDS) > payload->end) break;
#pragma unroll
    for (int i = 0; i < AGGBOX_BLOCK_WORDS; i++)
      sum += aggbox_hash_word(words[i], payload_key[block * AGGBOX_BLOCK_WORDS + i]);
  }
  return sum;
}

static __always_inline __u64 job_tag(const struct aggbox_header* header,
                                     const struct payload* payload) {
  const struct aggbox_key own_key = {{key.word[0], key.word[1]}};
  return aggbox_tag(&own_key, header, hash_payload(payload));
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

// Is the packet whole, of this job, from a member, and made by one who knows the key? Else the
// cause, counted by the caller; 0 if all is well (no packet is dropped for AGGBOX_ADDED).
static __always_inline enum aggbox_event reason_to_drop(struct xdp_md* ctx) {
  struct packet* packet = packet_of(ctx);
  if (!packet) return AGGBOX_MALFORMED;
  const struct aggbox_header* header = &packet->header;
  if (!well_formed(packet, (void*)(long)ctx->data_end)) return AGGBOX_MALFORMED;
  if (header->job != job) return AGGBOX_WRONG_JOB;
  if (!is_from_member(packet)) return AGGBOX_WRONG_SOURCE;
  struct payload payload = payload_of(ctx, packet);
  if (job_tag(header, &payload) != header->tag) return AGGBOX_FORGED;
  return 0;
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
