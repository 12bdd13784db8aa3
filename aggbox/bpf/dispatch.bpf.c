// The one program of AggBox on an interface: its packets go to the program of their job and type,
// all others on their way. At XDP a packet is a frame; at TC it may be a super-packet.
#include <linux/bpf.h>
#include <linux/pkt_cls.h>

#include "packet.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

// Index: job % AGGBOX_JOBS * AGGBOX_TYPES + type. Jobs enter their programs here; see
// aggbox/kernel_job.cc.
struct {
  __uint(type, BPF_MAP_TYPE_PROG_ARRAY);
  __uint(max_entries, 64 * AGGBOX_TYPES);
  __type(key, __u32);
  __type(value, __u32);
} aggbox_jobs SEC(".maps");

static __always_inline __u32 entry_of(const struct aggbox_header* header) {
  return header->job % 64 * AGGBOX_TYPES + header->type % AGGBOX_TYPES;
}

SEC("xdp")
int aggbox_dispatch_frame(struct xdp_md* ctx) {
  struct packet* packet = (void*)(long)ctx->data;
  if ((void*)(packet + 1) > (void*)(long)ctx->data_end || !is_ours(packet)) return XDP_PASS;
  bpf_tail_call(ctx, &aggbox_jobs, entry_of(&packet->header));
  return XDP_DROP;  // no such job
}

SEC("tc")
int aggbox_dispatch_super_packet(struct __sk_buff* skb) {
  struct aligned_packet headers;
  if (skb->protocol != bpf_htons(ETH_P_IP) ||
      bpf_skb_load_bytes(skb, 0, &headers.packet, sizeof headers.packet) ||
      !is_ours(&headers.packet))
    return TC_ACT_UNSPEC;  // whatever else is attached, and then the stack
  bpf_tail_call(skb, &aggbox_jobs, entry_of(&headers.packet.header));
  return TC_ACT_SHOT;
}

// What the processes of this host want of their kernel, marked as that. Index: job % AGGBOX_JOBS *
// AGGBOX_REQUESTS + request.
struct {
  __uint(type, BPF_MAP_TYPE_PROG_ARRAY);
  __uint(max_entries, 64 * AGGBOX_REQUESTS);
  __type(key, __u32);
  __type(value, __u32);
} aggbox_requests SEC(".maps");

SEC("tc")
int aggbox_dispatch_request(struct __sk_buff* skb) {
  __u32 request = skb->mark - AGGBOX_MARK;
  struct aligned_packet headers;
  if (request >= AGGBOX_REQUESTS ||
      bpf_skb_load_bytes(skb, 0, &headers.packet, sizeof headers.packet) ||
      !is_ours(&headers.packet))
    return TC_ACT_UNSPEC;
  skb->mark = 0;  // of copies, too, which come through here once more
  bpf_tail_call(skb, &aggbox_requests, headers.packet.header.job % 64 * AGGBOX_REQUESTS + request);
  return TC_ACT_SHOT;
}
