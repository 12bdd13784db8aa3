// The tag of a packet, for both sides: SipHash-2-4 (Aumasson and Bernstein 2012) of the header's 32
// bytes before the tag and of a universal hash of the payload, NH (Black et al. 1999, UMAC), which
// costs a fifth of SipHash over all of it. NH's value is a secret and does not travel.
#pragma once

#include "wire.h"

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

struct aggbox_key {
  __u64 word[2];
};

static __always_inline __u64 aggbox_rotate(__u64 x, int bits) {
  return x << bits | x >> (64 - bits);
}

static __always_inline void aggbox_sip_round(__u64 v[4]) {
  v[0] += v[1], v[1] = aggbox_rotate(v[1], 13) ^ v[0], v[0] = aggbox_rotate(v[0], 32);
  v[2] += v[3], v[3] = aggbox_rotate(v[3], 16) ^ v[2];
  v[0] += v[3], v[3] = aggbox_rotate(v[3], 21) ^ v[0];
  v[2] += v[1], v[1] = aggbox_rotate(v[1], 17) ^ v[2], v[2] = aggbox_rotate(v[2], 32);
}

static __always_inline void aggbox_sip_word(__u64 v[4], __u64 word) {
  v[3] ^= word;
  aggbox_sip_round(v);
  aggbox_sip_round(v);
  v[0] ^= word;
}

static __always_inline void aggbox_sip_begin(__u64 v[4], const struct aggbox_key* key) {
  v[0] = key->word[0] ^ 0x736f6d6570736575ull;
  v[1] = key->word[1] ^ 0x646f72616e646f6dull;
  v[2] = key->word[0] ^ 0x6c7967656e657261ull;
  v[3] = key->word[1] ^ 0x7465646279746573ull;
}

static __always_inline __u64 aggbox_sip_end(__u64 v[4]) {
  v[2] ^= 0xff;
  for (int i = 0; i < 4; i++) aggbox_sip_round(v);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

// The word `index` of the key for NH, made of the job's.
static __always_inline __u64 aggbox_payload_key(const struct aggbox_key* key, __u32 index) {
  __u64 v[4];
  aggbox_sip_begin(v, key);
  aggbox_sip_word(v, index);
  aggbox_sip_word(v, 8ull << 56);
  return aggbox_sip_end(v);
}

// NH of one word under its word of the key; that of a payload is the sum over its words.
static __always_inline __u64 aggbox_hash_word(__u64 word, __u64 key) {
  return (__u64)(__u32)(word + key) * (__u32)((word >> 32) + (key >> 32));
}

static __always_inline __u64 aggbox_tag(const struct aggbox_key* key,
                                        const struct aggbox_header* header, __u64 payload_hash) {
  __u64 words[4];
  __builtin_memcpy(words, header, sizeof words);
  __u64 v[4];
  aggbox_sip_begin(v, key);
  for (int i = 0; i < 4; i++) aggbox_sip_word(v, words[i]);
  aggbox_sip_word(v, payload_hash);
  aggbox_sip_word(v, 40ull << 56);  // the length's byte, no bytes left over
  return aggbox_sip_end(v);
}
