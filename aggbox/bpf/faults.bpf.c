// Faults on a lab's wire, for AggBox packets alone: what a host sends is lost, doubled, overtaken
// or changed, as a seeded generator says.
#include <linux/bpf.h>
#include <linux/pkt_cls.h>

#include "packet.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

// Of 2^20 packets. Set by the library before it loads the program.
const volatile __u32 lost;
const volatile __u32 doubled;
const volatile __u32 delayed;
const volatile __u32 corrupted;

__u64 random = 1;  // the library sets the seed, not 0
__u64 faults;

#define ALREADY_SEEN 0x58424741  // mark of a copy, which meets this program once more

static __always_inline __u64 next_random(void) {  // Marsaglia 2003, xorshift64
  __u64 x = random;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return random = x;
}

static __always_inline int is_aggbox(struct __sk_buff* skb) {
  struct packet packet;
  return bpf_skb_load_bytes(skb, 0, &packet, sizeof packet) == 0 &&
         packet.ethernet.h_proto == bpf_htons(ETH_P_IP) && packet.ip.protocol == IPPROTO_UDP &&
         packet.udp.dest == bpf_htons(AGGBOX_PORT);
}

// In AggBox's header or the payload.
static __always_inline void change_a_byte(struct __sk_buff* skb) {
  __u64 number = next_random();
  __u32 at = AGGBOX_HEADER_OFFSET + (__u32)number % (skb->len - AGGBOX_HEADER_OFFSET);
  __u8 byte;
  if (bpf_skb_load_bytes(skb, at, &byte, 1)) return;
  byte ^= 1 << (number >> 32 & 7);
  bpf_skb_store_bytes(skb, at, &byte, 1, 0);
}

SEC("tc")
int aggbox_faults(struct __sk_buff* skb) {
  if (skb->mark == ALREADY_SEEN || !is_aggbox(skb)) return TC_ACT_OK;
  __u64 number = next_random();
  __u32 first = number & 0xfffff, second = number >> 20 & 0xfffff, third = number >> 40 & 0xfffff;
  int lose = first < lost, again = second < doubled, late = third < delayed;
  if (lose || again || late) __sync_fetch_and_add(&faults, 1);
  if (lose) return TC_ACT_SHOT;
  if (next_random() % (1 << 20) < corrupted) {
    __sync_fetch_and_add(&faults, 1);
    change_a_byte(skb);
  }
  if (again || late) {
    // The copy waits in the processor's backlog and arrives behind those that follow it.
    skb->mark = ALREADY_SEEN;
    bpf_clone_redirect(skb, skb->ifindex, BPF_F_INGRESS);
    skb->mark = 0;
  }
  return late ? TC_ACT_SHOT : TC_ACT_OK;
}
