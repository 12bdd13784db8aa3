// One frame to every other rank. A devmap with an entry a rank, all of one interface, makes the
// copies; its egress program addresses them, which it tells apart by counting.
#pragma once

#include "job.h"

struct {
  __uint(type, BPF_MAP_TYPE_DEVMAP);
  __uint(max_entries, AGGBOX_MAX_RANKS);  // the library sets ranks - 1
  __type(key, __u32);
  __type(value, struct bpf_devmap_val);
} copies SEC(".maps");

// A processor sends the copies of a frame one after another.
struct fan_out_cursor {
  __u64 sequence;
  __u32 next;
};

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct fan_out_cursor);
} cursors SEC(".maps");

static __always_inline __u32 other_rank(__u32 index) { return index < rank ? index : index + 1; }

SEC("xdp/devmap")
int aggbox_address_copy(struct xdp_md* ctx) {
  struct packet* packet = (void*)(long)ctx->data;
  if ((void*)(packet + 1) > (void*)(long)ctx->data_end) return XDP_DROP;
  __u32 zero = 0;
  struct fan_out_cursor* cursor = bpf_map_lookup_elem(&cursors, &zero);
  if (!cursor) return XDP_DROP;
  // A copy that could not be made would shift the count; the next sequence begins anew.
  if (cursor->sequence != packet->header.sequence || cursor->next >= ranks - 1) {
    cursor->sequence = packet->header.sequence;
    cursor->next = 0;
  }
  address(packet, other_rank(cursor->next++));
  return XDP_PASS;
}
