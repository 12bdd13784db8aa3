// The programs of one job on one host, at XDP and at TC: aggregation of the chunks that this rank
// owns, delivery of results, broadcasts.
#include "job.h"

#include <linux/bpf.h>
#include <linux/pkt_cls.h>

#include "arrival.h"
#include "broadcast.h"
#include "fan_out.h"
#include "result.h"
#include "slot.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

// Adds a contribution; if that gives a result, the segment becomes it.
static __always_inline void add_segment(struct arrival* packet, enum hook hook, __u32 index) {
  __u32 bytes;
  struct segment* segment = load_segment(packet, hook, index, &bytes);
  if (!segment) return;
  struct aggbox_header* header = &segment->header;
  if (header->type != AGGBOX_CONTRIBUTION || header->owner != rank ||
      header->ranks != 1ull << packet->source || header->operation >= AGGBOX_OPERATIONS) {
    count(AGGBOX_MALFORMED);
    return;
  }
  __u64* sum;
  enum aggbox_event event = add_to_slot(segment, &sum);
  count(event);
  if (event != AGGBOX_COMPLETED && event != AGGBOX_REPEATED) return;
  if (event == AGGBOX_COMPLETED) {
    if (store_result(header->sequence, sum, header->blocks) == AGGBOX_STORED)
      packet->stored |= 1ull << (index & 63);
    packet->is_new = 1;
  }
  make_result(header, sum);
  // Once for all that follow.
  if (hook == AT_TC && !packet->results) bpf_skb_pull_data(packet->skb, packet->length);
  __u32 offset = offset_of(packet, index), payload = bytes - sizeof *header;
  barrier_var(payload);
  if (payload < 1 || payload > sizeof segment->values ||
      store_bytes(packet, hook, offset, header, sizeof *header) ||
      store_bytes(packet, hook, offset + sizeof *header, sum, payload))
    return;
  packet->results |= 1ull << (index & 63);
}

static long add_segment_at_tc(__u32 index, void* packet) {
  add_segment(packet, AT_TC, index);
  return 0;
}

static long make_void(__u32 index, void* context) {
  struct arrival* packet = context;
  __u8 type = AGGBOX_VOID;
  if (!(packet->results >> (index & 63) & 1))
    bpf_skb_store_bytes(packet->skb,
                        offset_of(packet, index) + __builtin_offsetof(struct aggbox_header, type),
                        &type, sizeof type, 0);
  return 0;
}

SEC("xdp")
int aggbox_contribution(struct xdp_md* ctx) {
  struct arrival packet = {.xdp = ctx, .length = ctx->data_end - ctx->data};
  enum aggbox_event reason = read_headers(&packet, AT_XDP, 0);
  if (reason) {
    count(reason);
    return XDP_DROP;
  }
  add_segment(&packet, AT_XDP, 0);
  if (packet.stored) announce_results(count_bits(packet.stored));
  if (!packet.results) return XDP_DROP;

  struct aligned_packet headers;
  int once = packet.is_new && network_replicates();
  if (packet.is_new && !once) return bpf_redirect_map(&copies, 0, BPF_F_BROADCAST);
  if (bpf_xdp_load_bytes(ctx, 0, &headers.packet, sizeof headers.packet)) return XDP_DROP;
  if (once)
    address_all(&headers.packet);
  else
    address(&headers.packet, packet.source);
  bpf_xdp_store_bytes(ctx, 0, &headers.packet, AGGBOX_HEADER_OFFSET);
  return bpf_redirect(interface, 0);
}

// 1 if the packet, addressed, goes on with results.
static __always_inline int add_segments(struct __sk_buff* skb, int is_own) {
  struct arrival packet = {.skb = skb, .length = skb->len};
  enum aggbox_event reason = read_headers(&packet, AT_TC, is_own);
  if (reason) {
    count(reason);
    return 0;
  }
  bpf_loop(packet.segments, add_segment_at_tc, &packet, 0);
  if (packet.stored) announce_results(count_bits(packet.stored));
  if (!packet.results) return 0;
  if (packet.results != ~0ull >> (64 - packet.segments))
    bpf_loop(packet.segments, make_void, &packet, 0);
  return spread(skb, packet.is_new ? 0 : 1ull << packet.source);
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

static __always_inline void store_segment(struct arrival* packet, enum hook hook, __u32 index) {
  __u32 bytes;
  const struct segment* segment = load_segment_for_all(packet, hook, index, AGGBOX_RESULT, &bytes);
  if (!segment) return;
  const struct aggbox_header* header = &segment->header;
  struct result_place place;
  enum aggbox_event event = claim_result(header->owner, header->sequence, &place);
  count(event);
  if (event != AGGBOX_STORED) return;
  if (copy_segment(packet, hook, index, segment, bytes, place.result->values)) {
    place.lock->claimed = 0;
    return;
  }
  publish_result(&place, header->sequence);
  packet->stored |= 1ull << (index & 63);
}

static long store_segment_at_tc(__u32 index, void* packet) {
  store_segment(packet, AT_TC, index);
  return 0;
}

SEC("xdp")
int aggbox_result(struct xdp_md* ctx) {
  struct arrival packet = {.xdp = ctx, .length = ctx->data_end - ctx->data};
  enum aggbox_event reason = read_headers(&packet, AT_XDP, 0);
  if (reason)
    count(reason);
  else
    store_segment(&packet, AT_XDP, 0);
  if (packet.stored) announce_results(count_bits(packet.stored));
  return XDP_DROP;
}

SEC("tc")
int aggbox_results(struct __sk_buff* skb) {
  struct arrival packet = {.skb = skb, .length = skb->len};
  enum aggbox_event reason = read_headers(&packet, AT_TC, 0);
  if (reason)
    count(reason);
  else
    bpf_loop(packet.segments, store_segment_at_tc, &packet, 0);
  if (packet.stored) announce_results(count_bits(packet.stored));
  return TC_ACT_SHOT;
}

// A broadcast on its way out of the root.
SEC("tc")
int aggbox_spread(struct __sk_buff* skb) {
  __u32 zero = 0;
  struct aggbox_control* shared = bpf_map_lookup_elem(&control, &zero);
  return shared && spread(skb, shared->spread_to) ? TC_ACT_OK : TC_ACT_SHOT;
}

static __always_inline void keep_segment(struct arrival* packet, enum hook hook, __u32 index) {
  __u32 bytes;
  const struct segment* segment =
      load_segment_for_all(packet, hook, index, AGGBOX_BROADCAST, &bytes);
  if (!segment) return;
  const struct aggbox_header* header = &segment->header;
  __u64 distance = header->sequence - packet->first;
  struct received_place place;
  enum aggbox_event event = claim_broadcast(header, &place);
  count(event);
  if (event == AGGBOX_RECEIVED) {
    if (copy_segment(packet, hook, index, segment, bytes, place.chunk->values)) {
      place.lock->claimed = 0;
      return;
    }
    publish_broadcast(&place, header->sequence);
    packet->stored |= 1ull << (index & 63);
  } else if (event != AGGBOX_DUPLICATE) {
    return;
  }
  if (distance < AGGBOX_MAX_SEGMENTS) packet->results |= 1ull << (distance & 63);
}

static long keep_segment_at_tc(__u32 index, void* packet) {
  keep_segment(packet, AT_TC, index);
  return 0;
}

// Turns the packet round, with what it is worth instead of what it brought. 0 if all went well.
static __always_inline int acknowledge(struct arrival* packet, enum hook hook) {
  struct workplace* workplace = find_workplace();
  if (!workplace) return 1;
  struct segment* segment = &workplace->segment;
  struct packet* headers = &workplace->headers.packet;
  __u32 bytes = sizeof segment->header + AGGBOX_BLOCK_WORDS * sizeof(__u64);
  __u32 length = AGGBOX_HEADER_OFFSET + bytes;
  if (load_bytes(packet, hook, 0, headers, sizeof *headers) ||
      (hook == AT_XDP ? bpf_xdp_adjust_tail(packet->xdp, (int)length - (int)packet->length)
                      : bpf_skb_change_tail(packet->skb, length, 0)))
    return 1;
  make_acknowledgment(headers, segment, packet->results);
  if (store_bytes(packet, hook, 0, headers, AGGBOX_HEADER_OFFSET) ||
      store_bytes(packet, hook, AGGBOX_HEADER_OFFSET, segment, bytes))
    return 1;
  if (packet->stored) announce_results(count_bits(packet->stored));
  return 0;
}

SEC("xdp")
int aggbox_broadcast(struct xdp_md* ctx) {
  struct arrival packet = {.xdp = ctx, .length = ctx->data_end - ctx->data};
  enum aggbox_event reason = read_headers(&packet, AT_XDP, 0);
  if (reason)
    count(reason);
  else
    keep_segment(&packet, AT_XDP, 0);
  if (!packet.results || acknowledge(&packet, AT_XDP)) return XDP_DROP;
  return bpf_redirect(interface, 0);
}

SEC("tc")
int aggbox_broadcasts(struct __sk_buff* skb) {
  struct arrival packet = {.skb = skb, .length = skb->len};
  enum aggbox_event reason = read_headers(&packet, AT_TC, 0);
  if (reason)
    count(reason);
  else
    bpf_loop(packet.segments, keep_segment_at_tc, &packet, 0);
  if (!packet.results || acknowledge(&packet, AT_TC)) return TC_ACT_SHOT;
  return bpf_redirect(interface, 0);
}

static __always_inline void hear(struct arrival* packet, enum hook hook) {
  enum aggbox_event event = read_headers(packet, hook, 0);
  if (!event && packet->segments != 1) event = AGGBOX_MALFORMED;
  if (event) {
    count(event);
    return;
  }
  __u32 bytes;
  const struct segment* segment = load_segment(packet, hook, 0, &bytes);
  if (!segment) return;
  const struct aggbox_header* header = &segment->header;
  int right = header->type == AGGBOX_ACKNOWLEDGMENT && header->blocks == 1 &&
              header->owner == rank && header->ranks == 1ull << (header->source & 63);
  count(right ? take_acknowledgment(header, segment->values[0], segment->values[1])
              : AGGBOX_MALFORMED);
}

SEC("xdp")
int aggbox_acknowledgment(struct xdp_md* ctx) {
  struct arrival packet = {.xdp = ctx, .length = ctx->data_end - ctx->data};
  hear(&packet, AT_XDP);
  return XDP_DROP;
}

SEC("tc")
int aggbox_acknowledgments(struct __sk_buff* skb) {
  struct arrival packet = {.skb = skb, .length = skb->len};
  hear(&packet, AT_TC);
  return TC_ACT_SHOT;
}
