#include "skein/decode/batched_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decode/copy_scorer.h"
#include "skein/base/error.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int64_t kVocabulary = 12;

std::vector<std::vector<Hypothesis>> search(const std::vector<std::vector<int32_t>>& sentences,
                                            const std::vector<SearchOptions>& options,
                                            const BatchOptions& batches) {
  const std::vector<std::span<const int32_t>> sources(sentences.begin(), sentences.end());
  return batched_search([] { return std::make_unique<CopyScorer>(kVocabulary, 50); }, sources,
                        options, batches);
}

// The scorer copies its source and goes on with the end symbol.
TEST(BatchedSearch, GivesEverySentenceItsOwnOptionsInAnyBatch) {
  const std::vector<std::vector<int32_t>> sources = {
      {5, 6, 7, kEosId}, {8, kEosId}, {9, 10, kEosId}};
  const std::vector<SearchOptions> options = {
      {.beam = 1, .max_length_a = 0, .max_length_b = 2}, {.beam = 3}, {.beam = 1, .prefix = {11}}};
  for (const int64_t tokens : {1, 4, 6, 100}) {
    const auto found = search(sources, options, {.tokens = tokens, .n_best = 2});
    ASSERT_THAT(found, SizeIs(3));
    EXPECT_THAT(found[0], SizeIs(1));
    EXPECT_THAT(found[0][0].tokens, ElementsAre(5, 6, kEosId));  // cut
    EXPECT_THAT(found[1], SizeIs(2));                            // of 3, 2 are kept
    EXPECT_THAT(found[1][0].tokens, ElementsAre(8, kEosId));
    EXPECT_THAT(found[2][0].tokens, ElementsAre(11, 10, kEosId));
  }
}

TEST(BatchedSearch, OfNothingFindsNothing) { EXPECT_THAT(search({}, {}, {}), IsEmpty()); }

TEST(BatchedSearch, RefusesOptionsAndSizesThatAreNotOneASentence) {
  EXPECT_THROW(search({{5, kEosId}}, {}, {}), UsageError);
  const std::vector<size_t> sizes = {1, 2};
  EXPECT_THROW(search({{5, kEosId}}, {{}}, {.sizes = sizes}), UsageError);
}

}  // namespace
}  // namespace skein
