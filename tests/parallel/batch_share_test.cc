#include "skein/parallel/batch_share.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "models/random_batch.h"

namespace skein {
namespace {

// Sentences of 1 to 5 tokens a side, numbered from `first`.
Batch numbered_batch(int64_t sentences, int64_t first, int64_t source_vocabulary = 20) {
  const VocabularySizes vocabulary{.source = source_vocabulary, .target = 20, .shared = false};
  Batch batch = random_batch(vocabulary, sentences, static_cast<uint64_t>(first));
  for (int64_t i = 0; i < sentences; ++i) batch.sample_ids.push_back(first + i);
  return batch;
}

int64_t tokens_of(const std::vector<Batch>& batches) {
  int64_t tokens = 0;
  for (const Batch& batch : batches) {
    tokens += static_cast<int64_t>(batch.source.tokens.size() + batch.target.tokens.size());
  }
  return tokens;
}

TEST(BatchShares, AreAllSentencesOnceInTheirOrderAndAboutEqual) {
  const std::vector<Batch> update = {numbered_batch(11, 0), numbered_batch(1, 11),
                                     numbered_batch(0, 12), numbered_batch(30, 12)};
  for (const int size : {1, 2, 3, 4, 8, 13}) {
    std::vector<int64_t> ids;
    for (int rank = 0; rank < size; ++rank) {
      const std::vector<Batch> share = share_of(update, rank, size);
      EXPECT_LE(share.size(), update.size());
      for (const Batch& batch : share) {
        ids.insert(ids.end(), batch.sample_ids.begin(), batch.sample_ids.end());
      }
      // Within one sentence at each end.
      EXPECT_NEAR(tokens_of(share), tokens_of(update) / size, 11) << rank << " of " << size;
    }
    std::vector<int64_t> expected(42);
    std::generate(expected.begin(), expected.end(), [i = 0]() mutable { return i++; });
    EXPECT_EQ(ids, expected);
  }
}

TEST(BatchShares, HoldWhatTheSentencesHold) {
  const std::vector<Batch> update = {numbered_batch(9, 0)};
  for (int rank = 0; rank < 3; ++rank) {
    for (const Batch& part : share_of(update, rank, 3)) {
      for (size_t i = 0; i < part.sample_ids.size(); ++i) {
        const auto id = static_cast<size_t>(part.sample_ids[i]);
        const auto expect_same = [&](const PackedSequences& side, const PackedSequences& whole) {
          EXPECT_THAT(side.sentence(i), testing::ElementsAreArray(whole.sentence(id)));
        };
        expect_same(part.source, update[0].source);
        expect_same(part.target_input, update[0].target_input);
        expect_same(part.target, update[0].target);
      }
    }
  }
}

TEST(BatchShares, OfALanguageModelHaveNoSource) {
  const std::vector<Batch> update = {numbered_batch(6, 0, /*source_vocabulary=*/0)};
  const std::vector<Batch> share = share_of(update, 1, 2);
  ASSERT_EQ(share.size(), 1u);
  EXPECT_EQ(share[0].source.sentences(), 0u);
  EXPECT_GT(share[0].target.sentences(), 0u);
}

TEST(BatchShares, OfFewSentencesLeaveRanksWithoutAny) {
  const std::vector<Batch> update = {numbered_batch(2, 0)};
  int64_t with_work = 0;
  for (int rank = 0; rank < 8; ++rank) with_work += std::ssize(share_of(update, rank, 8));
  EXPECT_EQ(with_work, 2);
  EXPECT_TRUE(share_of({}, 0, 2).empty());
}

}  // namespace
}  // namespace skein
