// What a job's kernel programs and its process share by memory-mapped maps, and the counters of
// both.
#pragma once

#include <linux/bpf.h>

#include "siphash.h"

struct aggbox_member {
  __u8 mac[6];
  __u16 reserved;
  __u32 address;  // IPv4, network order
};

// A chunk whose sum is being made, or made.
struct aggbox_round {
  __u64 sequence;  // of the chunk it holds
  __u64 seen;      // bit r: rank r's contribution is in
  __u32 operation;
  __u32 blocks;
  __u64 values[AGGBOX_MAX_WORDS];
};

struct aggbox_slot {
  struct bpf_spin_lock lock;
  __u32 reserved;
  struct aggbox_round rounds[2];  // chunks of even and of odd rounds
};

// A finished chunk, written by the kernel; one for every owner and slot.
struct aggbox_result {
  __u64
      next_sequence;  // the result held is that of next_sequence - window; stored after the values
  __u64 values[AGGBOX_MAX_WORDS];
};

// A chunk that a root sent to all, written by the kernel; one for every root and slot.
struct aggbox_received {
  __u64 next_sequence;  // as of a result
  __u64 free_for;       // the process has read what was there before this sequence
  __u64 values[AGGBOX_MAX_WORDS];
};

// Who has a chunk that this rank sent to all; one for every slot. It is the root's memory of it,
// and the only one.
struct aggbox_acknowledged {
  __u64 sequence;
  __u64 ranks;
};

// How far broadcasts have been read; one for every rank.
struct aggbox_read {
  __u64 here;   // this process, of what that rank sent: chunks before this sequence
  __u64 there;  // that rank's process, of what this one sent, as far as it has told
};

#define AGGBOX_LATENCIES 96  // from 1 us to 16 s

struct aggbox_control {
  __u64 results;    // and broadcasts that arrived, and own ones that all have, since the job began
  __u64 wake_at;    // the kernel wakes the process when `results` becomes this
  __u64 spread_to;  // bits of the ranks that the next broadcast goes to, to each; 0: to all
  __u64 multicast;  // 1: what is for all goes once, and the network replicates it
  // Written by the process for `aggbox status`:
  __u64 retransmissions;
  __u64 last_collective;              // when it ended; ns of CLOCK_MONOTONIC
  __u64 latencies[AGGBOX_LATENCIES];  // of collectives (aggbox/latencies.h)
};

// What became of a packet or of a segment of it.
enum aggbox_event {
  AGGBOX_ADDED,         // a contribution went into its slot
  AGGBOX_COMPLETED,     // it was the last; the result went to all
  AGGBOX_REPEATED,      // a contribution to a finished chunk: its sender got the stored result
  AGGBOX_STORED,        // a result arrived
  AGGBOX_RECEIVED,      // a broadcast arrived
  AGGBOX_HEARD,         // an acknowledgment with something new
  AGGBOX_ACKNOWLEDGED,  // all have a chunk that this rank broadcast
  // Dropped, by cause:
  AGGBOX_DUPLICATE,  // contribution already in, or result already here
  AGGBOX_STALE,      // of a round that all have left, or that is just being written
  AGGBOX_FULL,       // a broadcast whose place is not free: the process has not read what is there
  AGGBOX_EARLY,      // of a round that cannot have begun
  AGGBOX_MISMATCH,   // type or length differs from the other ranks'
  AGGBOX_MALFORMED,
  AGGBOX_WRONG_JOB,
  AGGBOX_WRONG_SOURCE,  // rank, address and MAC don't belong together, or no member
  AGGBOX_FORGED,        // wrong tag
  AGGBOX_EVENTS
};
