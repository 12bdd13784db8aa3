#include "skein/base/packed_bytes.h"

#include <gtest/gtest.h>

namespace skein {
namespace {

TEST(PackedBytes, AreReadInTheOrderInWhichTheyWereAdded) {
  PackedBytes bytes;
  bytes.add_number(int64_t{-3});
  bytes.add_text("a b");
  bytes.add_numbers(std::vector<int32_t>{1, 2, 3});
  bytes.add_numbers(std::vector<float>{});
  const std::string packed = bytes.take();
  PackedBytesReader reader(packed);
  EXPECT_EQ(reader.number<int64_t>(), -3);
  EXPECT_EQ(reader.text(), "a b");
  EXPECT_EQ(reader.numbers<int32_t>(), (std::vector<int32_t>{1, 2, 3}));
  EXPECT_EQ(reader.numbers<float>(), std::vector<float>{});
  EXPECT_TRUE(reader.empty());
}

TEST(PackedBytes, ThatAreCutOffAreRefused) {
  PackedBytes bytes;
  bytes.add_text("a b");
  std::string packed = bytes.take();
  packed.pop_back();
  EXPECT_THROW(PackedBytesReader(packed).text(), FormatError);
}

}  // namespace
}  // namespace skein
