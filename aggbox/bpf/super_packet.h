// Super-packets at TC: what a driver delivers whole is added or stored segment by segment, and goes
// on whole. A frame is a super-packet of one segment.
#pragma once

#include "broadcast.h"
#include "fan_out.h"
#include "job.h"
#include "result.h"
#include "slot.h"

// One, copied out of the super-packet.
struct segment {
  struct aggbox_header header;
  __u64 values[AGGBOX_MAX_WORDS];
};

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct segment);
} segments SEC(".maps");

struct super_packet {
  struct __sk_buff* skb;
  __u32 stride;    // bytes from segment to segment
  __u32 segments;  // how many
  __u32 source;    // rank
  __u32 stored;    // results or chunks of a broadcast that were
  __u64 results;   // bit i: segment i has become a result; of a broadcast: chunk first + i is here
  __u64 first;     // sequence of the first segment
  __u32 is_new;    // one of the results was none before
};

static __always_inline __u32 offset_of(const struct super_packet* packet, __u32 index) {
  return AGGBOX_HEADER_OFFSET + index * packet->stride;
}

// Bytes of a segment, header included, 0 where they are not those of a segment.
static __always_inline __u32 bytes_of(const struct super_packet* packet, __u32 index) {
  __u32 left = packet->skb->len - offset_of(packet, index);
  __u32 bytes = left < packet->stride ? left : packet->stride;
  barrier_var(bytes);
  return bytes > sizeof(struct aggbox_header) && bytes <= sizeof(struct segment) ? bytes : 0;
}

// The headers of all; 0 if the packet is not the job's or not from where it should be, which is
// counted.
static __always_inline int read_headers(struct __sk_buff* skb, int is_own,
                                        struct super_packet* super) {
  struct aligned_packet headers;
  const struct packet* packet = &headers.packet;
  if (bpf_skb_load_bytes(skb, 0, &headers.packet, sizeof *packet)) {
    count(AGGBOX_MALFORMED);
    return 0;
  }
  if (bpf_ntohs(packet->ip.tot_len) != skb->len - sizeof(struct ethhdr) ||
      bpf_ntohs(packet->udp.len) != skb->len - sizeof(struct ethhdr) - sizeof(struct iphdr)) {
    count(AGGBOX_MALFORMED);
    return 0;
  }
  if (packet->header.job != job) {
    count(AGGBOX_WRONG_JOB);
    return 0;
  }
  if (is_own ? packet->header.source != rank : !is_from_member(packet)) {
    count(AGGBOX_WRONG_SOURCE);
    return 0;
  }
  __u32 blocks = packet->header.blocks, bytes = skb->len - AGGBOX_HEADER_OFFSET;
  __u32 stride = sizeof(struct aggbox_header) + blocks * AGGBOX_BLOCK_WORDS * sizeof(__u64);
  __u32 segments = (bytes + stride - 1) / stride;
  if (blocks < 1 || blocks > AGGBOX_MAX_BLOCKS || segments > AGGBOX_MAX_SEGMENTS) {
    count(AGGBOX_MALFORMED);
    return 0;
  }
  *super = (struct super_packet){.skb = skb,
                                 .stride = stride,
                                 .segments = segments,
                                 .source = packet->header.source,
                                 .first = packet->header.sequence};
  return 1;
}

// As reason_to_drop() has it, for a segment of a packet whose headers are right.
static __always_inline enum aggbox_event reason_to_leave_out(const struct super_packet* packet,
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
  const struct payload payload = {
      .words = (__u64*)segment->values, .blocks = &header->blocks, .end = segment + 1};
  if (job_tag(header, &payload) != header->tag) return AGGBOX_FORGED;
  return 0;
}

static long add_segment(__u32 index, void* context) {
  struct super_packet* packet = context;
  __u32 zero = 0;
  struct segment* segment = bpf_map_lookup_elem(&segments, &zero);
  __u32 bytes = bytes_of(packet, index);
  if (!segment || !bytes || bytes > sizeof *segment ||
      bpf_skb_load_bytes(packet->skb, offset_of(packet, index), segment, bytes)) {
    count(AGGBOX_MALFORMED);
    return 0;
  }
  enum aggbox_event event = reason_to_leave_out(packet, segment, bytes);
  struct aggbox_header* header = &segment->header;
  if (!event && (header->type != AGGBOX_CONTRIBUTION || header->owner != rank ||
                 header->ranks != 1ull << packet->source || header->operation >= AGGBOX_OPERATIONS))
    event = AGGBOX_MALFORMED;
  if (event) {
    count(event);
    return 0;
  }
  struct contribution in = {
      .sequence = header->sequence,
      .source = header->ranks,
      .operation = header->operation,
      .payload = {.words = segment->values, .blocks = &header->blocks, .end = segment + 1}};
  __u64* sum;
  event = add_to_slot(&in, &sum);
  count(event);
  if (event != AGGBOX_COMPLETED && event != AGGBOX_REPEATED) return 0;
  in.payload.words = sum;
  in.payload.end = sum + AGGBOX_MAX_WORDS;
  if (event == AGGBOX_COMPLETED) {
    if (store_result(rank, in.sequence, &in.payload) == AGGBOX_STORED) packet->stored++;
    packet->is_new = 1;
  }
  make_result(header, &in.payload);
  // Once for all that follow.
  if (!packet->results) bpf_skb_pull_data(packet->skb, packet->skb->len);
  __u32 payload = bytes - sizeof *header;
  barrier_var(payload);
  if (payload < 1 || payload > sizeof segment->values ||
      bpf_skb_store_bytes(packet->skb, offset_of(packet, index), header, sizeof *header, 0) ||
      bpf_skb_store_bytes(packet->skb, offset_of(packet, index) + sizeof *header, sum, payload, 0))
    return 0;
  packet->results |= 1ull << (index & 63);
  return 0;
}

static long make_void(__u32 index, void* context) {
  struct super_packet* packet = context;
  __u8 type = AGGBOX_VOID;
  if (!(packet->results >> (index & 63) & 1))
    bpf_skb_store_bytes(packet->skb,
                        offset_of(packet, index) + __builtin_offsetof(struct aggbox_header, type),
                        &type, sizeof type, 0);
  return 0;
}

static __always_inline void address_super_packet(struct __sk_buff* skb, struct packet* headers,
                                                 __u32 destination) {
  address(headers, destination);
  bpf_skb_store_bytes(skb, 0, headers, AGGBOX_HEADER_OFFSET, 0);
}

// Addresses the packet to the last of the ranks and sends copies of it to the others. 0: to all, by
// the network where it replicates. Returns 0 if there is none to send it to.
static __always_inline int spread(struct __sk_buff* skb, struct packet* headers, __u64 to) {
  if (!to && network_replicates()) {
    address_all(headers);
    bpf_skb_store_bytes(skb, 0, headers, AGGBOX_HEADER_OFFSET, 0);
    return 1;
  }
  if (!to) to = all_ranks();
  int last = -1;
  for (__u32 i = 0; i < AGGBOX_MAX_RANKS && i < ranks; i++) {
    if (i == rank || !(to >> i & 1)) continue;
    if (last >= 0) bpf_clone_redirect(skb, interface, 0);
    address_super_packet(skb, headers, i);
    last = i;
  }
  return last >= 0;
}

// Adds all segments; 1 if the packet, addressed, goes on with results.
static __always_inline int add_segments(struct __sk_buff* skb, int is_own) {
  struct super_packet packet;
  if (!read_headers(skb, is_own, &packet)) return 0;
  bpf_loop(packet.segments, add_segment, &packet, 0);
  if (packet.stored) announce_results(packet.stored);
  if (!packet.results) return 0;
  if (packet.results != ~0ull >> (64 - packet.segments))
    bpf_loop(packet.segments, make_void, &packet, 0);
  struct aligned_packet headers;
  if (bpf_skb_load_bytes(skb, 0, &headers.packet, sizeof headers.packet)) return 0;
  return spread(skb, &headers.packet, packet.is_new ? 0 : 1ull << packet.source);
}

SEC("tc")
int aggbox_contributions(struct __sk_buff* skb) {
  return add_segments(skb, 0) ? bpf_redirect(interface, 0) : TC_ACT_SHOT;
}

// The rank's own, on their way out.
SEC("tc")
int aggbox_own_contributions(struct __sk_buff* skb) {
  return add_segments(skb, 1) ? TC_ACT_OK : TC_ACT_SHOT;
}

// A broadcast on its way out of the root.
SEC("tc")
int aggbox_spread(struct __sk_buff* skb) {
  __u32 zero = 0;
  struct aggbox_control* shared = bpf_map_lookup_elem(&control, &zero);
  struct aligned_packet headers;
  if (!shared || bpf_skb_load_bytes(skb, 0, &headers.packet, sizeof headers.packet))
    return TC_ACT_SHOT;
  return spread(skb, &headers.packet, shared->spread_to) ? TC_ACT_OK : TC_ACT_SHOT;
}

// A segment that is to be stored as it is, without its payload where no tag covers that: it goes to
// its place without a stop. Its header if the segment is right, else 0, which is counted; 0 for a
// void one, too.
static __always_inline const struct segment* load_segment(struct super_packet* packet, __u32 index,
                                                          enum aggbox_type type, __u32* length) {
  __u32 zero = 0;
  struct segment* segment = bpf_map_lookup_elem(&segments, &zero);
  __u32 bytes = bytes_of(packet, index);
  __u32 first = authenticate_payload ? bytes : sizeof segment->header;
  barrier_var(first);
  if (!segment || !bytes || first > sizeof *segment || first < sizeof segment->header ||
      bpf_skb_load_bytes(packet->skb, offset_of(packet, index), segment, first)) {
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
static __always_inline int copy_segment(const struct super_packet* packet, __u32 index,
                                        const struct segment* segment, __u32 bytes, __u64* values) {
  if (authenticate_payload) {
    const struct payload payload = {
        .words = (__u64*)segment->values, .blocks = &segment->header.blocks, .end = segment + 1};
    copy_payload(values, &payload);
    return 0;
  }
  __u32 payload = bytes - sizeof segment->header;
  barrier_var(payload);
  return payload < 1 || payload > sizeof segment->values ||
         bpf_skb_load_bytes(packet->skb, offset_of(packet, index) + sizeof segment->header, values,
                            payload);
}

static long store_segment(__u32 index, void* context) {
  struct super_packet* packet = context;
  __u32 bytes;
  const struct segment* segment = load_segment(packet, index, AGGBOX_RESULT, &bytes);
  if (!segment) return 0;
  const struct aggbox_header* header = &segment->header;
  struct result_place place;
  enum aggbox_event event = claim_result(header->owner, header->sequence, &place);
  count(event);
  if (event != AGGBOX_STORED) return 0;
  if (copy_segment(packet, index, segment, bytes, place.result->values)) {
    place.lock->claimed = 0;
    return 0;
  }
  publish_result(&place, header->sequence);
  packet->stored++;
  return 0;
}

SEC("tc")
int aggbox_results(struct __sk_buff* skb) {
  struct super_packet packet;
  if (!read_headers(skb, 0, &packet)) return TC_ACT_SHOT;
  bpf_loop(packet.segments, store_segment, &packet, 0);
  if (packet.stored) announce_results(packet.stored);
  return TC_ACT_SHOT;
}

static long keep_segment(__u32 index, void* context) {
  struct super_packet* packet = context;
  __u32 bytes;
  const struct segment* segment = load_segment(packet, index, AGGBOX_BROADCAST, &bytes);
  if (!segment) return 0;
  const struct aggbox_header* header = &segment->header;
  __u64 distance = header->sequence - packet->first;
  struct received_place place;
  enum aggbox_event event = claim_broadcast(header, &place);
  count(event);
  if (event == AGGBOX_RECEIVED) {
    if (copy_segment(packet, index, segment, bytes, place.chunk->values)) {
      place.lock->claimed = 0;
      return 0;
    }
    publish_broadcast(&place, header->sequence);
    packet->stored++;
  } else if (event != AGGBOX_DUPLICATE) {
    return 0;
  }
  if (distance < AGGBOX_MAX_SEGMENTS) packet->results |= 1ull << (distance & 63);
  return 0;
}

SEC("tc")
int aggbox_broadcasts(struct __sk_buff* skb) {
  struct super_packet packet;
  if (!read_headers(skb, 0, &packet)) return TC_ACT_SHOT;
  bpf_loop(packet.segments, keep_segment, &packet, 0);
  if (!packet.results) return TC_ACT_SHOT;

  __u32 zero = 0;
  struct segment* segment = bpf_map_lookup_elem(&segments, &zero);
  struct aligned_packet headers;
  __u32 length = sizeof headers.packet + AGGBOX_BLOCK_WORDS * sizeof(__u64);
  if (!segment || bpf_skb_load_bytes(skb, 0, &headers.packet, sizeof headers.packet) ||
      bpf_skb_change_tail(skb, length, 0))
    return TC_ACT_SHOT;
  make_acknowledgment(&headers.packet);
  segment->header = headers.packet.header;
  write_acknowledgment(segment->values, packet.source, packet.results);
  const struct payload payload = {
      .words = segment->values, .blocks = &segment->header.blocks, .end = segment + 1};
  segment->header.tag = job_tag(&segment->header, &payload);
  bpf_skb_store_bytes(skb, AGGBOX_HEADER_OFFSET, segment,
                      sizeof segment->header + AGGBOX_BLOCK_WORDS * sizeof(__u64), 0);
  address_super_packet(skb, &headers.packet, packet.source);
  if (packet.stored) announce_results(packet.stored);
  return bpf_redirect(interface, 0);
}

SEC("tc")
int aggbox_acknowledgments(struct __sk_buff* skb) {
  struct super_packet packet;
  if (!read_headers(skb, 0, &packet)) return TC_ACT_SHOT;
  __u32 zero = 0;
  struct segment* segment = bpf_map_lookup_elem(&segments, &zero);
  __u32 bytes = sizeof segment->header + AGGBOX_BLOCK_WORDS * sizeof(__u64);
  if (!segment || packet.segments != 1 || packet.stride != bytes ||
      bpf_skb_load_bytes(skb, AGGBOX_HEADER_OFFSET, segment, bytes))
    return count_and_drop(AGGBOX_MALFORMED);
  enum aggbox_event event = reason_to_leave_out(&packet, segment, bytes);
  if (event) return count_and_drop(event);
  if (!is_acknowledgment(&segment->header)) return count_and_drop(AGGBOX_MALFORMED);
  return count_and_drop(
      take_acknowledgment(&segment->header, segment->values[0], segment->values[1]));
}
