#include "aggbox/bpf/siphash.h"

#include <gtest/gtest.h>

namespace {

// Aumasson and Bernstein 2012, appendix A: key 00 01 ... 0f, message 00 01 ... 0e.
TEST(SipHash, EqualsThePapersExample) {
  const aggbox_key key = {{0x0706050403020100, 0x0f0e0d0c0b0a0908}};
  __u64 v[4];
  aggbox_sip_begin(v, &key);
  aggbox_sip_word(v, 0x0706050403020100);
  aggbox_sip_word(v, 0x0f0e0d0c0b0a0908);
  EXPECT_EQ(aggbox_sip_end(v), 0xa129ca6149be45e5);
}

}  // namespace
