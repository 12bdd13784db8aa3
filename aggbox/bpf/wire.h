// The wire format, for the kernel programs (C) and the library (C++). docs/aggbox-protocol.md
// explains it. Ethernet, IPv4 without options, UDP to AGGBOX_PORT, this header, whole blocks of 64
// bytes. Little endian. A super-packet has one Ethernet, IPv4 and UDP header for segments of one
// length, each of this header and its blocks; the last may be shorter.
#pragma once

#include <linux/types.h>

#define AGGBOX_PORT 42603
#define AGGBOX_MAGIC 0x58424741  // "AGBX"
#define AGGBOX_VERSION 1

#define AGGBOX_MAX_RANKS 64    // ranks are bits of one 64-bit word
#define AGGBOX_MAX_WINDOW 256  // slots of one owner; a power of two

#define AGGBOX_BLOCK_WORDS 8  // 64 bytes
#define AGGBOX_MAX_BLOCKS 22  // 1408 bytes: what fits beside the headers into 1500, in whole blocks
#define AGGBOX_MAX_WORDS (AGGBOX_BLOCK_WORDS * AGGBOX_MAX_BLOCKS)

#define AGGBOX_MAX_SEGMENTS \
  44  // of a super-packet: 65507 bytes of an IPv4 packet in pieces of 1448

#define AGGBOX_HEADER_OFFSET 42  // after Ethernet, IPv4 and UDP
#define AGGBOX_PAYLOAD_OFFSET 82

// Where the network replicates packets, what is for all goes once, to a MAC of the job's own: these
// two bytes (multicast, locally administered) and the job's four; and to an IPv4 address of the
// local network block, which no router forwards and no switch withholds.
#define AGGBOX_GROUP_MAC_0 0x03
#define AGGBOX_GROUP_MAC_1 0xa6
#define AGGBOX_GROUP_ADDRESS 0xe00000a6  // 224.0.0.166

enum aggbox_type {
  AGGBOX_VOID = 0,          // a segment of a super-packet whose others are results: of no meaning
  AGGBOX_CONTRIBUTION = 1,  // a worker's values, to the owner of the chunk
  AGGBOX_RESULT = 2,        // the sum, from the owner; it acknowledges all contributions
  AGGBOX_BROADCAST = 3,     // a chunk from its root, which is its owner as well, to all
  // A broadcast turned round by a receiver's kernel, to the root. One block: bit i of the first
  // word says that the receiver has the chunk sequence + i; the second is the sequence up to which
  // its process has read. The process sends such a packet, too, when it has read.
  AGGBOX_ACKNOWLEDGMENT = 4,
  AGGBOX_TYPES = 8
};

// What a process wants of its own kernel: the mark of a packet that it sends, which goes no further
// as it is. In the lower bits: the index of the program.
#define AGGBOX_MARK 0xa66b0000u
enum aggbox_request {
  AGGBOX_OWN_CONTRIBUTION = 0,  // add it here
  AGGBOX_SPREAD = 1,            // send it to the ranks of control.spread_to
  AGGBOX_REQUESTS = 8
};

// How the kernel combines two words of 64 bits. It does not know the type: what else there is
// becomes one of these by an exclusive or on the way in and out (aggbox/integer_exchange.h).
enum aggbox_operation {
  AGGBOX_SUM_64 = 0,  // also of narrower lanes whose sums never leave them (quantised values)
  AGGBOX_SUM_32 = 1,  // two lanes that wrap on their own
  AGGBOX_OR = 2,
  AGGBOX_XOR = 3,
  AGGBOX_MIN_64 = 4,  // signed
  AGGBOX_MIN_32 = 5,  // two signed lanes
  AGGBOX_OPERATIONS
};

struct aggbox_header {
  __u32 magic;
  __u8 version;
  __u8 type;       // aggbox_type
  __u8 source;     // the sender's rank
  __u8 owner;      // rank whose kernel adds the chunk
  __u32 job;       // random, new for every group: packets of an earlier one never match
  __u8 operation;  // aggbox_operation
  __u8 blocks;     // of 64 bytes, after the header
  __u16 reserved;  // 0
  __u64 sequence;  // of the chunk among all that the owner ever added for the job; slot = sequence
                   // % window
  __u64 ranks;     // bit r: rank r's values are in the payload
  __u64 tag;       // of what stands before and of the payload, under the job's key: siphash.h
};
