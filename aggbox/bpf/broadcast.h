// A broadcast and its acknowledgment. A receiver's kernel keeps the chunk and turns the packet
// round with its own bit set; it remembers nothing for it, and answers a second copy as it did the
// first. The root's kernel adds the bits to the word of the chunk, and tells its process once, when
// all are there.
#pragma once

#include "job.h"
#include "result.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, AGGBOX_MAX_WINDOW);  // the library sets ranks * window, here and below
  __type(key, __u32);
  __type(value, struct aggbox_received);
} received SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, AGGBOX_MAX_WINDOW);
  __type(key, __u32);
  __type(value, struct result_lock);
} received_locks SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, AGGBOX_MAX_WINDOW);  // the library sets it to the window
  __type(key, __u32);
  __type(value, struct aggbox_acknowledged);
} acknowledged SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, AGGBOX_MAX_RANKS);
  __type(key, __u32);
  __type(value, struct aggbox_read);
} reads SEC(".maps");

struct received_place {
  struct aggbox_received* chunk;
  struct result_lock* lock;
};

// RECEIVED: the place is the caller's to write, until publish_broadcast(). DUPLICATE: the chunk is
// here.
static __always_inline enum aggbox_event claim_broadcast(const struct aggbox_header* header,
                                                         struct received_place* place) {
  __u32 index = header->owner * window + (header->sequence & (window - 1));
  place->chunk = bpf_map_lookup_elem(&received, &index);
  place->lock = bpf_map_lookup_elem(&received_locks, &index);
  if (!place->chunk || !place->lock) return AGGBOX_EARLY;

  __u64 sequence = header->sequence;
  enum aggbox_event event = AGGBOX_RECEIVED;
  bpf_spin_lock(&place->lock->lock);
  if (sequence < place->chunk->next_sequence)
    event = AGGBOX_DUPLICATE;
  else if (sequence > place->chunk->next_sequence)
    event = AGGBOX_EARLY;
  else if (*(volatile __u64*)&place->chunk->free_for != sequence)
    event = AGGBOX_FULL;
  else if (place->lock->claimed == sequence + 1)
    event = AGGBOX_STALE;  // another processor writes it at this moment and will acknowledge it
  else
    place->lock->claimed = sequence + 1;
  bpf_spin_unlock(&place->lock->lock);
  return event;
}

static __always_inline void publish_broadcast(struct received_place* place, __u64 sequence) {
  __sync_lock_test_and_set(&place->chunk->next_sequence, sequence + window);  // a barrier, too
}

// Makes packet and segment an acknowledgment to the packet's sender.
static __always_inline void make_acknowledgment(struct packet* packet, struct segment* segment,
                                                __u64 have) {
  __u32 root = packet->header.source;
  struct aggbox_header* header = &packet->header;
  header->type = AGGBOX_ACKNOWLEDGMENT;
  header->source = rank;
  header->ranks = 1ull << rank;
  header->blocks = 1;
  segment->header = *header;
  struct aggbox_read* read = bpf_map_lookup_elem(&reads, &root);
  segment->values[0] = have;
  segment->values[1] = read ? *(volatile __u64*)&read->here : 0;
  for (int i = 2; i < AGGBOX_BLOCK_WORDS; i++) segment->values[i] = 0;
  segment->header.tag = job_tag(&segment->header, segment->values);
  __u16 length = sizeof *packet - sizeof(struct ethhdr) + AGGBOX_BLOCK_WORDS * sizeof(__u64);
  packet->ip.tot_len = bpf_htons(length);
  packet->udp.len = bpf_htons(length - sizeof(struct iphdr));
  address(packet, root);
}

struct news {
  __u64 sequence;  // of the chunk of bit 0
  __u64 have;
  __u64 ranks;     // the receiver's bit
  __u32 fresh;     // chunks of which this was not known
  __u32 complete;  // chunks that all have since
  __u32 stale;     // chunks that are not in flight
};

static long take_chunk(__u32 i, void* context) {
  struct news* news = context;
  if (!(news->have >> (i & 63) & 1)) return 0;
  __u64 sequence = news->sequence + i;
  __u32 index = sequence & (window - 1);
  struct aggbox_acknowledged* chunk = bpf_map_lookup_elem(&acknowledged, &index);
  if (!chunk || chunk->sequence != sequence) {
    news->stale++;
    return 0;
  }
  __u64 before = __sync_fetch_and_or(&chunk->ranks, news->ranks);
  if (before & news->ranks) return 0;
  news->fresh++;
  if ((before | news->ranks) == all_ranks()) news->complete++;
  return 0;
}

// Adds what a receiver has to what the root knows.
static __always_inline enum aggbox_event take_acknowledgment(const struct aggbox_header* header,
                                                             __u64 have, __u64 read) {
  __u32 source = header->source, further = 0;
  struct aggbox_read* progress = bpf_map_lookup_elem(&reads, &source);
  if (progress) {
    __u64 known = *(volatile __u64*)&progress->there;
    further = read > known && __sync_val_compare_and_swap(&progress->there, known, read) == known;
  }
  struct news news = {.sequence = header->sequence, .have = have, .ranks = header->ranks};
  bpf_loop(have > 1 ? AGGBOX_MAX_SEGMENTS : 1, take_chunk, &news, 0);
  if (news.complete) __sync_fetch_and_add(&events[AGGBOX_ACKNOWLEDGED], news.complete);
  if (news.complete || further) announce_results(news.complete + further);
  return news.fresh || further ? AGGBOX_HEARD : news.stale ? AGGBOX_STALE : AGGBOX_DUPLICATE;
}
