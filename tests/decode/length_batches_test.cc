#include "skein/decode/length_batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "skein/base/random.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

std::vector<size_t> sizes_of(const std::vector<std::vector<size_t>>& batches,
                             const std::vector<size_t>& lengths) {
  std::vector<size_t> sizes;
  for (const auto& batch : batches) {
    sizes.push_back(0);
    for (const size_t index : batch) sizes.back() += lengths[index];
  }
  return sizes;
}

TEST(LengthBatches, AreLongestFirstAndFull) {
  const std::vector<size_t> lengths = {2, 9, 3, 4, 3};
  EXPECT_THAT(length_batches(lengths, 7),
              ElementsAre(ElementsAre(1), ElementsAre(3, 2), ElementsAre(4, 0)));
}

// 300 sentences of 10 tokens: one batch of 3000, which one worker would have to do alone.
TEST(EvenBatchSize, GivesEveryWorkerItsShare) {
  const std::vector<size_t> lengths(300, 10);
  for (const size_t workers : {1, 2, 3, 4}) {
    const size_t size = even_batch_size(lengths, 4096, workers);
    EXPECT_THAT(sizes_of(length_batches(lengths, size), lengths),
                ElementsAreArray(std::vector<size_t>(workers, 3000 / workers)));
  }
  // Five batches of 600 would be one round and a half of two workers, six of 500 are three.
  EXPECT_EQ(length_batches(lengths, even_batch_size(lengths, 600, 2)).size(), 6u);
}

TEST(EvenBatchSize, LeavesAFewSentencesInOneBatch) {
  const std::vector<size_t> few(25, 10), some(52, 10);
  EXPECT_EQ(length_batches(few, even_batch_size(few, 4096, 2)).size(), 1u);
  EXPECT_EQ(length_batches(some, even_batch_size(some, 4096, 8)).size(), 2u);
}

TEST(EvenBatchSize, IsNeverMoreThanTheMost) {
  EXPECT_EQ(even_batch_size({}, 7, 2), 7u);
  const std::vector<size_t> lengths = {5, std::numeric_limits<size_t>::max(), 5};
  EXPECT_EQ(even_batch_size(lengths, 7, 2), 7u);
}

TEST(EvenBatchSize, GivesEveryWorkerAsManyBatchesWhateverTheLengths) {
  Random random(3);
  int even = 0;
  for (int round = 0; round < 200; ++round) {
    const size_t most = 300 + random.next_u32() % 3000, workers = 1 + random.next_u32() % 8;
    std::vector<size_t> lengths(1 + random.next_u32() % 2000);
    for (size_t& length : lengths) length = 1 + random.next_u32() % 40;
    const size_t total = std::accumulate(lengths.begin(), lengths.end(), size_t{0});
    if (total < 256 * workers) continue;
    const auto sizes =
        sizes_of(length_batches(lengths, even_batch_size(lengths, most, workers)), lengths);
    const size_t largest = *std::max_element(sizes.begin(), sizes.end());
    EXPECT_LE(largest, most);
    EXPECT_GE(sizes.size(), workers);
    // What batches have above their share adds up to less than a batch.
    if (largest + 40 < most && sizes.size() * 40 < largest) {
      ++even;
      EXPECT_EQ(sizes.size() % workers, 0u) << total << " " << most;
    }
  }
  EXPECT_GT(even, 20);
}

}  // namespace
}  // namespace skein
