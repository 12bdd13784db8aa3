// One packet to every other rank. At XDP a devmap with an entry a rank, all of one interface, makes
// the copies; its egress program addresses them, which it tells apart by counting.
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

// At TC: addresses the packet to the last of the ranks and sends copies of it to the others. 0: to
// all, by the network where it replicates. Returns 0 if there is none to send it to.
static __always_inline int spread(struct __sk_buff* skb, __u64 to) {
  struct aligned_packet headers;
  if (bpf_skb_load_bytes(skb, 0, &headers.packet, sizeof headers.packet)) return 0;
  if (!to && network_replicates()) {
    address_all(&headers.packet);
    return !bpf_skb_store_bytes(skb, 0, &headers.packet, AGGBOX_HEADER_OFFSET, 0);
  }
  if (!to) to = all_ranks();
  int last = -1;
  for (__u32 i = 0; i < AGGBOX_MAX_RANKS && i < ranks; i++) {
    if (i == rank || !(to >> i & 1)) continue;
    if (last >= 0) bpf_clone_redirect(skb, interface, 0);
    address(&headers.packet, i);
    bpf_skb_store_bytes(skb, 0, &headers.packet, AGGBOX_HEADER_OFFSET, 0);
    last = i;
  }
  return last >= 0;
}
