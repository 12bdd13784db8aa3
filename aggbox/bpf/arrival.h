// A packet that arrived at XDP or TC, and its segments. At XDP it is a frame, of one segment; at TC
// it may be a super-packet. What is to be done with it is the same: every function here is inlined
// with a constant hook.
#pragma once

#include "job.h"

// A processor handles one packet at a time.
struct workplace {
  struct segment segment;
  struct aligned_packet headers;  // the stack, of 512 bytes, is too small for them
};

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct workplace);
} workplaces SEC(".maps");

static __always_inline struct workplace* find_workplace(void) {
  __u32 zero = 0;
  return bpf_map_lookup_elem(&workplaces, &zero);
}

enum hook { AT_XDP, AT_TC };

struct arrival {
  struct xdp_md* xdp;     // at XDP
  struct __sk_buff* skb;  // at TC
  __u32 length;           // of the packet, bytes
  __u32 stride;           // bytes from segment to segment
  __u32 segments;         // how many
  __u32 source;           // rank
  __u64 first;            // sequence of the first segment
  __u64 results;  // bit i: segment i has become a result; of a broadcast: chunk first + i is here
  __u64 stored;   // bit i: what segment i brought or became was stored here
  __u32 is_new;   // one of the results was none before
};

// Bits, and no count: a verifier that knew how many there are would go through a loop over segments
// once for every number.
static __always_inline __u32 count_bits(__u64 x) {  // Warren 2012, 5-1
  x -= x >> 1 & 0x5555555555555555ull;
  x = (x & 0x3333333333333333ull) + (x >> 2 & 0x3333333333333333ull);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
  return x * 0x0101010101010101ull >> 56;
}

static __always_inline int load_bytes(const struct arrival* packet, enum hook hook, __u32 offset,
                                      void* to, __u32 bytes) {
  return hook == AT_XDP ? bpf_xdp_load_bytes(packet->xdp, offset, to, bytes)
                        : bpf_skb_load_bytes(packet->skb, offset, to, bytes);
}

static __always_inline int store_bytes(const struct arrival* packet, enum hook hook, __u32 offset,
                                       void* from, __u32 bytes) {
  return hook == AT_XDP ? bpf_xdp_store_bytes(packet->xdp, offset, from, bytes)
                        : bpf_skb_store_bytes(packet->skb, offset, from, bytes, 0);
}

static __always_inline __u32 offset_of(const struct arrival* packet, __u32 index) {
  return AGGBOX_HEADER_OFFSET + index * packet->stride;
}

// Bytes of a segment, header included, 0 where they are not those of a segment.
static __always_inline __u32 bytes_of(const struct arrival* packet, __u32 index) {
  __u32 left = packet->length - offset_of(packet, index);
  __u32 bytes = left < packet->stride ? left : packet->stride;
  barrier_var(bytes);
  return bytes > sizeof(struct aggbox_header) && bytes <= sizeof(struct segment) ? bytes : 0;
}

// Reads the headers of all segments' packet. 0 if it is right; else the cause to drop it for.
// `packet` has its context and length.
static __always_inline enum aggbox_event read_headers(struct arrival* packet, enum hook hook,
                                                      int is_own) {
  struct workplace* workplace = find_workplace();
  if (!workplace) return AGGBOX_MALFORMED;
  struct packet* headers = &workplace->headers.packet;
  if (load_bytes(packet, hook, 0, headers, sizeof *headers)) return AGGBOX_MALFORMED;
  __u32 length = packet->length;
  if (bpf_ntohs(headers->ip.tot_len) != length - sizeof(struct ethhdr) ||
      bpf_ntohs(headers->udp.len) != length - sizeof(struct ethhdr) - sizeof(struct iphdr))
    return AGGBOX_MALFORMED;
  if (headers->header.job != job) return AGGBOX_WRONG_JOB;
  if (is_own ? headers->header.source != rank : !is_from_member(headers))
    return AGGBOX_WRONG_SOURCE;
  __u32 blocks = headers->header.blocks, bytes = length - AGGBOX_HEADER_OFFSET;
  packet->stride = sizeof(struct aggbox_header) + blocks * AGGBOX_BLOCK_WORDS * sizeof(__u64);
  packet->segments = (bytes + packet->stride - 1) / packet->stride;
  packet->source = headers->header.source;
  packet->first = headers->header.sequence;
  if (blocks < 1 || blocks > AGGBOX_MAX_BLOCKS || packet->segments < 1 ||
      packet->segments > (hook == AT_XDP ? 1 : AGGBOX_MAX_SEGMENTS))
    return AGGBOX_MALFORMED;
  return 0;
}

// The same for a segment.
static __always_inline enum aggbox_event reason_to_leave_out(const struct arrival* packet,
                                                             const struct segment* segment,
                                                             __u32 bytes) {
  const struct aggbox_header* header = &segment->header;
  __u32 blocks = header->blocks;
  if (header->magic != AGGBOX_MAGIC || header->version != AGGBOX_VERSION || header->reserved != 0 ||
      blocks < 1 || blocks > AGGBOX_MAX_BLOCKS ||
      bytes != sizeof *header + blocks * AGGBOX_BLOCK_WORDS * sizeof(__u64))
    return AGGBOX_MALFORMED;
  if (header->job != job) return AGGBOX_WRONG_JOB;
  if (header->source != packet->source) return AGGBOX_WRONG_SOURCE;
  if (job_tag(header, segment->values) != header->tag) return AGGBOX_FORGED;
  return 0;
}

// The whole segment; its length in *bytes. 0 if it is not right, which is counted.
static __always_inline struct segment* load_segment(const struct arrival* packet, enum hook hook,
                                                    __u32 index, __u32* length) {
  struct workplace* workplace = find_workplace();
  if (!workplace) return 0;
  struct segment* segment = &workplace->segment;
  __u32 bytes = bytes_of(packet, index);
  if (!bytes || bytes > sizeof *segment ||
      load_bytes(packet, hook, offset_of(packet, index), segment, bytes)) {
    count(AGGBOX_MALFORMED);
    return 0;
  }
  enum aggbox_event event = reason_to_leave_out(packet, segment, bytes);
  if (event) {
    count(event);
    return 0;
  }
  *length = bytes;
  return segment;
}

// One of `type` that its owner sent to all, and that is to be stored as it is. Without its payload
// where no tag covers that: copy_segment() takes it to its place without a stop. 0 for a void one,
// too.
static __always_inline struct segment* load_segment_for_all(const struct arrival* packet,
                                                            enum hook hook, __u32 index,
                                                            enum aggbox_type type, __u32* length) {
  struct workplace* workplace = find_workplace();
  if (!workplace) return 0;
  struct segment* segment = &workplace->segment;
  __u32 bytes = bytes_of(packet, index);
  __u32 first = authenticate_payload ? bytes : sizeof segment->header;
  barrier_var(first);
  if (!bytes || first > sizeof *segment || first < sizeof segment->header ||
      load_bytes(packet, hook, offset_of(packet, index), segment, first)) {
    count(AGGBOX_MALFORMED);
    return 0;
  }
  const struct aggbox_header* header = &segment->header;
  if (header->type == AGGBOX_VOID) return 0;
  enum aggbox_event event = reason_to_leave_out(packet, segment, bytes);
  if (!event &&
      (header->type != type || header->owner != packet->source || header->ranks != all_ranks()))
    event = AGGBOX_MALFORMED;
  if (event) {
    count(event);
    return 0;
  }
  *length = bytes;
  return segment;
}

// values: as long as the longest payload. 0 if all went well.
static __always_inline int copy_segment(const struct arrival* packet, enum hook hook, __u32 index,
                                        const struct segment* segment, __u32 bytes, __u64* values) {
  if (authenticate_payload) {
    copy_values(values, segment->values, segment->header.blocks);
    return 0;
  }
  __u32 payload = bytes - sizeof segment->header;
  barrier_var(payload);
  return payload < 1 || payload > sizeof segment->values ||
         load_bytes(packet, hook, offset_of(packet, index) + sizeof segment->header, values,
                    payload);
}
