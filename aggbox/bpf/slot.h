// A slot adds one chunk at a time and keeps the sum before it, in case a rank has to ask for that
// again.
//
// A rank contributes to chunk s + window only when it has the result of chunk s. So when a chunk's
// first contribution arrives, all ranks have the result two rounds before, and its place is free.
// Sums do not depend on the order of arrival.
#pragma once

#include "job.h"
#include "result.h"

struct round_state {
  __u64 sequence;  // of the chunk it holds
  __u64 seen;      // bit r: rank r's contribution is in
  __u32 lanes;
  __u32 blocks;
  __u64 values[AGGBOX_MAX_WORDS];
};

struct slot {
  struct bpf_spin_lock lock;
  __u32 reserved;
  struct round_state rounds[2];  // chunks of even and of odd rounds
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, AGGBOX_MAX_WINDOW);  // the library sets it to the window
  __type(key, __u32);
  __type(value, struct slot);
} slots SEC(".maps");

struct contribution {
  __u64 sequence;
  __u64 source;  // bit of the rank
  __u32 lanes;
  struct payload payload;
};

static __always_inline void add_words(__u64* sum, const struct payload* payload) {
  __u32 blocks = blocks_of(payload);
  for (__u32 block = 0; block < AGGBOX_MAX_BLOCKS; block++) {
    const __u64* values = payload->words + block * AGGBOX_BLOCK_WORDS;
    if (block >= blocks || (const void*)(values + AGGBOX_BLOCK_WORDS) > payload->end) break;
#pragma unroll
    for (int i = 0; i < AGGBOX_BLOCK_WORDS; i++) sum[block * AGGBOX_BLOCK_WORDS + i] += values[i];
  }
}

// The bits of `no_carry` do not carry.
static __always_inline void add_lanes(__u64* sum, const struct payload* payload, __u64 no_carry) {
  __u32 blocks = blocks_of(payload);
  for (__u32 block = 0; block < AGGBOX_MAX_BLOCKS; block++) {
    const __u64* values = payload->words + block * AGGBOX_BLOCK_WORDS;
    if (block >= blocks || (const void*)(values + AGGBOX_BLOCK_WORDS) > payload->end) break;
#pragma unroll
    for (int i = 0; i < AGGBOX_BLOCK_WORDS; i++) {
      __u64 a = sum[block * AGGBOX_BLOCK_WORDS + i], b = values[i];
      sum[block * AGGBOX_BLOCK_WORDS + i] =
          ((a & ~no_carry) + (b & ~no_carry)) ^ ((a ^ b) & no_carry);
    }
  }
}

static __always_inline enum aggbox_event judge(const struct round_state* round,
                                               const struct contribution* in) {
  if (in->sequence < round->sequence) return AGGBOX_STALE;
  if (in->sequence > round->sequence) {
    // `seen` is 0 before the first chunk of the place.
    int first = round->seen == 0 && in->sequence < 2 * window;
    int next = round->seen == all_ranks() && in->sequence == round->sequence + 2 * window;
    return first || next ? AGGBOX_ADDED : AGGBOX_EARLY;
  }
  if (round->seen == 0) return AGGBOX_ADDED;
  if (in->lanes != round->lanes || blocks_of(&in->payload) != round->blocks) return AGGBOX_MISMATCH;
  if (round->seen & in->source)
    return round->seen == all_ranks() ? AGGBOX_REPEATED : AGGBOX_DUPLICATE;
  return AGGBOX_ADDED;
}

// Adds a contribution. After COMPLETED and REPEATED, *sum is the sum over all ranks. It may be read
// without the lock: it stays as it is until all ranks have got it, and what is read of it later is
// a duplicate to whom it is sent.
static __always_inline enum aggbox_event add_to_slot(const struct contribution* in, __u64** sum) {
  __u32 index = in->sequence & (window - 1);
  struct slot* slot = bpf_map_lookup_elem(&slots, &index);
  if (!slot) return AGGBOX_EARLY;
  struct round_state* round = &slot->rounds[in->sequence / window & 1];

  bpf_spin_lock(&slot->lock);
  enum aggbox_event event = judge(round, in);
  if (event == AGGBOX_ADDED) {
    if (round->seen == 0 || round->sequence != in->sequence) {
      round->sequence = in->sequence;
      round->seen = 0;
      round->lanes = in->lanes;
      round->blocks = blocks_of(&in->payload);
      copy_payload(round->values, &in->payload);
    } else if (in->lanes == AGGBOX_LANES_32) {
      add_lanes(round->values, &in->payload, 0x8000000080000000ull);
    } else {
      add_words(round->values, &in->payload);
    }
    round->seen |= in->source;
    if (round->seen == all_ranks()) event = AGGBOX_COMPLETED;
  }
  bpf_spin_unlock(&slot->lock);
  *sum = round->values;
  return event;
}
