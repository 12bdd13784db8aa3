#include "skein/data/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skein {
namespace {

using testing::ElementsAre;

TEST(PackedSequences, SentencesLieOneAfterAnotherWithoutPadding) {
  PackedSequences packed;
  EXPECT_EQ(packed.sentences(), 0u);
  packed.append(std::vector<int32_t>{7, 8, 2});
  packed.append(std::vector<int32_t>{});
  packed.append(std::vector<int32_t>{9, 2});
  EXPECT_EQ(packed.sentences(), 3u);
  EXPECT_THAT(packed.tokens, ElementsAre(7, 8, 2, 9, 2));
  EXPECT_THAT(packed.offsets, ElementsAre(0, 3, 3, 5));
  EXPECT_THAT(packed.sentence(0), ElementsAre(7, 8, 2));
  EXPECT_TRUE(packed.sentence(1).empty());
  EXPECT_THAT(packed.sentence(2), ElementsAre(9, 2));
}

}  // namespace
}  // namespace skein
