// A slot adds one chunk at a time and keeps the sum before it, in case a rank has to ask for that
// again.
//
// A rank contributes to chunk s + window only when it has the result of chunk s. So when a chunk's
// first contribution arrives, all ranks have the result two rounds before, and its place is free.
// Sums do not depend on the order of arrival.
#pragma once

#include "job.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, AGGBOX_MAX_WINDOW);  // the library sets it to the window
  __type(key, __u32);
  __type(value, struct aggbox_slot);
} slots SEC(".maps");

// Without a branch, of which the verifier would follow both ways for every word (Warren 2012,
// "Hacker's Delight", 2-12).
static __always_inline __u64 smaller(__u64 a, __u64 b) {
  __u64 difference = a - b;
  __u64 is_less = (__s64)(difference ^ ((a ^ b) & (difference ^ a))) >> 63;
  barrier_var(is_less);
  return b ^ ((a ^ b) & is_less);
}

static __always_inline __u64 combine_word(enum aggbox_operation operation, __u64 a, __u64 b) {
  const __u64 carries = 0x8000000080000000ull, upper = 0xffffffff00000000ull;
  switch (operation) {
    case AGGBOX_SUM_32:
      return ((a & ~carries) + (b & ~carries)) ^ ((a ^ b) & carries);
    case AGGBOX_OR:
      return a | b;
    case AGGBOX_XOR:
      return a ^ b;
    case AGGBOX_MIN_64:
      return smaller(a, b);
    case AGGBOX_MIN_32:
      return (smaller(a & upper, b & upper) & upper) | smaller(a << 32, b << 32) >> 32;
    default:
      return a + b;
  }
}

static __always_inline void combine_blocks(enum aggbox_operation operation, __u64* sum,
                                           const __u64* values, __u32 blocks) {
  for (__u32 i = 0; i < blocks * AGGBOX_BLOCK_WORDS; i += AGGBOX_BLOCK_WORDS) {
#pragma unroll
    for (int j = 0; j < AGGBOX_BLOCK_WORDS; j++)
      sum[i + j] = combine_word(operation, sum[i + j], values[i + j]);
  }
}

static __always_inline void combine_values(enum aggbox_operation operation, __u64* sum,
                                           const __u64* values, __u32 blocks) {
  if (blocks <= AGGBOX_FEW_BLOCKS)
    combine_blocks(operation, sum, values, AGGBOX_FEW_BLOCKS);
  else
    combine_blocks(operation, sum, values, AGGBOX_MAX_BLOCKS);
}

// A loop of its own for each operation.
static __always_inline void combine(__u64* sum, const struct segment* segment) {
  __u32 operation = segment->header.operation, blocks = segment->header.blocks;
  if (operation == AGGBOX_SUM_64)
    combine_values(AGGBOX_SUM_64, sum, segment->values, blocks);
  else if (operation == AGGBOX_SUM_32)
    combine_values(AGGBOX_SUM_32, sum, segment->values, blocks);
  else if (operation == AGGBOX_OR)
    combine_values(AGGBOX_OR, sum, segment->values, blocks);
  else if (operation == AGGBOX_XOR)
    combine_values(AGGBOX_XOR, sum, segment->values, blocks);
  else if (operation == AGGBOX_MIN_64)
    combine_values(AGGBOX_MIN_64, sum, segment->values, blocks);
  else if (operation == AGGBOX_MIN_32)
    combine_values(AGGBOX_MIN_32, sum, segment->values, blocks);
}

static __always_inline enum aggbox_event judge(const struct aggbox_round* round,
                                               const struct aggbox_header* in) {
  if (in->sequence < round->sequence) return AGGBOX_STALE;
  if (in->sequence > round->sequence) {
    // `seen` is 0 before the first chunk of the place.
    int first = round->seen == 0 && in->sequence < 2 * window;
    int next = round->seen == all_ranks() && in->sequence == round->sequence + 2 * window;
    return first || next ? AGGBOX_ADDED : AGGBOX_EARLY;
  }
  if (round->seen == 0) return AGGBOX_ADDED;
  if (in->operation != round->operation || in->blocks != round->blocks) return AGGBOX_MISMATCH;
  if (round->seen & in->ranks)
    return round->seen == all_ranks() ? AGGBOX_REPEATED : AGGBOX_DUPLICATE;
  return AGGBOX_ADDED;
}

// Adds a contribution. After COMPLETED and REPEATED, *sum is the sum over all ranks. It may be read
// without the lock: it stays as it is until all ranks have got it, and what is read of it later is
// a duplicate to whom it is sent.
static __always_inline enum aggbox_event add_to_slot(const struct segment* in, __u64** sum) {
  const struct aggbox_header* header = &in->header;
  __u32 index = header->sequence & (window - 1);
  struct aggbox_slot* slot = bpf_map_lookup_elem(&slots, &index);
  if (!slot) return AGGBOX_EARLY;
  struct aggbox_round* round = &slot->rounds[header->sequence / window & 1];

  bpf_spin_lock(&slot->lock);
  enum aggbox_event event = judge(round, header);
  if (event == AGGBOX_ADDED) {
    if (round->seen == 0 || round->sequence != header->sequence) {
      round->sequence = header->sequence;
      round->seen = 0;
      round->operation = header->operation;
      round->blocks = header->blocks;
      copy_values(round->values, in->values, header->blocks);
    } else {
      combine(round->values, in);
    }
    round->seen |= header->ranks;
    if (round->seen == all_ranks()) event = AGGBOX_COMPLETED;
  }
  bpf_spin_unlock(&slot->lock);
  *sum = round->values;
  return event;
}
