// Results on their way to the process: into memory that it maps, and one wake-up when enough of
// them are there.
#pragma once

#include "job.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, AGGBOX_MAX_WINDOW);  // the library sets ranks * window, here and below
  __type(key, __u32);
  __type(value, struct aggbox_result);
} results SEC(".maps");

// Who may write a place. A map with a lock cannot be memory-mapped, so it stands apart.
struct result_lock {
  struct bpf_spin_lock lock;
  __u32 reserved;
  __u64 claimed;  // 1 + the sequence that a processor is writing, or wrote last
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, AGGBOX_MAX_WINDOW);
  __type(key, __u32);
  __type(value, struct result_lock);
} result_locks SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 4096);
} wake_ups SEC(".maps");

// `count` more have arrived.
static __always_inline void announce_results(__u32 count) {
  __u32 zero = 0;
  struct aggbox_control* shared = bpf_map_lookup_elem(&control, &zero);
  if (!shared) return;
  __u64 before = __sync_fetch_and_add(&shared->results, count);
  __u64 wake_at = *(volatile __u64*)&shared->wake_at;
  if (before < wake_at && before + count >= wake_at)
    bpf_ringbuf_output(&wake_ups, &before, sizeof before, BPF_RB_FORCE_WAKEUP);
}

struct result_place {
  struct aggbox_result* result;
  struct result_lock* lock;
};

// The process contributes to the next chunk of a slot only when it has read the result before: a
// result that follows the one held may overwrite it, any other may not. STORED: the place is the
// caller's to write, until publish_result().
static __always_inline enum aggbox_event claim_result(__u32 owner, __u64 sequence,
                                                      struct result_place* place) {
  __u32 index = owner * window + (sequence & (window - 1));
  place->result = bpf_map_lookup_elem(&results, &index);
  place->lock = bpf_map_lookup_elem(&result_locks, &index);
  if (!place->result || !place->lock) return AGGBOX_EARLY;

  enum aggbox_event event = AGGBOX_STORED;
  bpf_spin_lock(&place->lock->lock);
  if (sequence < place->result->next_sequence || place->lock->claimed == sequence + 1)
    event = AGGBOX_DUPLICATE;
  else if (sequence > place->result->next_sequence)
    event = AGGBOX_EARLY;
  else
    place->lock->claimed = sequence + 1;
  bpf_spin_unlock(&place->lock->lock);
  return event;
}

static __always_inline void publish_result(struct result_place* place, __u64 sequence) {
  __sync_lock_test_and_set(&place->result->next_sequence, sequence + window);  // a barrier, too
}

// The owner's own.
static __always_inline enum aggbox_event store_result(__u64 sequence, const __u64* values,
                                                      __u32 blocks) {
  struct result_place place;
  enum aggbox_event event = claim_result(rank, sequence, &place);
  if (event != AGGBOX_STORED) return event;
  copy_values(place.result->values, values, blocks);
  publish_result(&place, sequence);
  return event;
}

static __always_inline void make_result(struct aggbox_header* header, const __u64* sum) {
  header->type = AGGBOX_RESULT;
  header->source = rank;
  header->owner = rank;
  header->ranks = all_ranks();
  header->tag = job_tag(header, sum);
}
