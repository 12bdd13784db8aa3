// The programs of one job on one host: aggregation of the chunks that this rank owns, delivery of
// results, broadcasts.
#include "job.h"

#include <linux/bpf.h>
#include <linux/pkt_cls.h>

#include "broadcast.h"
#include "fan_out.h"
#include "result.h"
#include "slot.h"
#include "super_packet.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("xdp")
int aggbox_contribution(struct xdp_md* ctx) {
  if (!find_packet(ctx)) return XDP_PASS;
  enum aggbox_event reason = reason_to_drop(ctx);
  if (reason) return count(reason);
  struct packet* packet = packet_of(ctx);
  if (!packet) return XDP_DROP;
  struct aggbox_header* header = &packet->header;
  __u32 source = header->source;
  if (header->owner != rank || header->ranks != 1ull << source ||
      header->operation >= AGGBOX_OPERATIONS)
    return count(AGGBOX_MALFORMED);

  struct contribution in = {.sequence = header->sequence,
                            .source = 1ull << source,
                            .operation = header->operation,
                            .payload = payload_of(ctx, packet)};
  __u64* sum;
  enum aggbox_event event = add_to_slot(&in, &sum);
  count(event);
  if (event != AGGBOX_COMPLETED && event != AGGBOX_REPEATED) return XDP_DROP;
  if (!(packet = packet_of(ctx))) return XDP_DROP;
  in.payload = payload_of(ctx, packet);
  fill_payload(&in.payload, sum);
  if (event == AGGBOX_COMPLETED) {
    if (!(packet = packet_of(ctx))) return XDP_DROP;
    in.payload = payload_of(ctx, packet);
    if (store_result(rank, in.sequence, &in.payload) == AGGBOX_STORED) announce_results(1);
  }
  if (!(packet = packet_of(ctx))) return XDP_DROP;
  in.payload = payload_of(ctx, packet);
  make_result(&packet->header, &in.payload);
  int to_all = event == AGGBOX_COMPLETED, once = to_all && network_replicates();
  if (to_all && !once) return bpf_redirect_map(&copies, 0, BPF_F_BROADCAST);
  if (!(packet = packet_of(ctx))) return XDP_DROP;
  if (once)
    address_all(packet);
  else
    address(packet, source);
  return bpf_redirect(interface, 0);
}

SEC("xdp")
int aggbox_result(struct xdp_md* ctx) {
  if (!find_packet(ctx)) return XDP_PASS;
  enum aggbox_event reason = reason_to_drop(ctx);
  if (reason) return count(reason);
  struct packet* packet = packet_of(ctx);
  if (!packet) return XDP_DROP;
  const struct aggbox_header* header = &packet->header;
  if (header->owner != header->source || header->ranks != all_ranks())
    return count(AGGBOX_MALFORMED);
  struct payload payload = payload_of(ctx, packet);
  enum aggbox_event event = store_result(header->owner, header->sequence, &payload);
  if (event == AGGBOX_STORED) announce_results(1);
  return count(event);
}
