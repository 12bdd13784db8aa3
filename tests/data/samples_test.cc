// How text becomes samples: sentences, and blocks of a language model's text.
#include "skein/data/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_of.h"
#include "skein/base/random.h"
#include "skein/data/batch_iterator.h"
#include "skein/data/data_set_writer.h"
#include "temporary_folder.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Tokens = std::vector<int32_t>;

constexpr int32_t kEos = 2;

DataSet text_of(const TemporaryFolder& folder, const std::vector<Tokens>& sentences) {
  const std::filesystem::path path = folder.path() / "text.skd";
  DataSetWriter writer(path, {.target = 1000});
  for (const Tokens& sentence : sentences) writer.add({}, sentence);
  writer.close();
  return DataSet(path);
}

Batch whole(const Samples& samples) {
  Batch batch;
  for (int64_t i = 0; i < samples.size(); ++i) samples.append(i, kEos, batch);
  return batch;
}

// 4 5 | 6 7 8 | 9, with an end mark (2) behind each: 4 5 2 6 7 8 2 9 2.
const std::vector<Tokens> kSentences = {{4, 5}, {6, 7, 8}, {9}};

TEST(Samples, OfSentencesBeginWithAnEndMark) {
  const TemporaryFolder folder;
  const DataSet data = text_of(folder, kSentences);
  const Batch batch = whole(Samples(data));
  EXPECT_THAT(batch.target_input.tokens, ElementsAre(2, 4, 5, 2, 6, 7, 8, 2, 9));
  EXPECT_THAT(batch.target.tokens, ElementsAre(4, 5, 2, 6, 7, 8, 2, 9, 2));
  EXPECT_THAT(batch.target.offsets, ElementsAre(0, 3, 7, 9));
  EXPECT_EQ(batch.target_input.offsets, batch.target.offsets);
  EXPECT_THAT(batch.sample_ids, ElementsAre(0, 1, 2));
  EXPECT_EQ(batch.source.sentences(), 0);
}

TEST(Samples, CutEverywhereAreOfEqualLengthAndBeginWithTheTokenBefore) {
  const TemporaryFolder folder;
  const DataSet data = text_of(folder, kSentences);
  const Samples samples(data, {.mode = BreakMode::kNone, .tokens = 4});
  const Batch batch = whole(samples);
  EXPECT_THAT(batch.target.tokens, ElementsAre(4, 5, 2, 6, 7, 8, 2, 9, 2));
  EXPECT_THAT(batch.target.offsets, ElementsAre(0, 4, 8, 9));
  EXPECT_THAT(batch.target_input.tokens, ElementsAre(2, 4, 5, 2, 6, 7, 8, 2, 9));
  EXPECT_EQ(samples.target_length(2), 1);
  // A block that begins behind an end mark.
  const Batch threes = whole(Samples(data, {.mode = BreakMode::kNone, .tokens = 3}));
  EXPECT_THAT(threes.target.offsets, ElementsAre(0, 3, 6, 9));
  EXPECT_THAT(threes.target_input.sentence(1), ElementsAre(2, 6, 7));
  EXPECT_THAT(threes.target_input.sentence(2), ElementsAre(8, 2, 9));
}

TEST(Samples, OfWholeSentencesAreFilledUpToTheBlock) {
  const TemporaryFolder folder;
  const DataSet data = text_of(folder, kSentences);
  const Batch batch = whole(Samples(data, {.mode = BreakMode::kComplete, .tokens = 7}));
  EXPECT_THAT(batch.target.tokens, ElementsAre(4, 5, 2, 6, 7, 8, 2, 9, 2));
  EXPECT_THAT(batch.target.offsets, ElementsAre(0, 7, 9));
  EXPECT_THAT(batch.target_input.tokens, ElementsAre(2, 4, 5, 2, 6, 7, 8, 2, 9));
  // The longer one is a block of its own.
  const Batch small = whole(Samples(data, {.mode = BreakMode::kComplete, .tokens = 3}));
  EXPECT_THAT(small.target.offsets, ElementsAre(0, 3, 7, 9));
}

// Whatever the mode, every token is predicted once, from the one before it in the text.
TEST(Samples, OfAnyModeHoldTheWholeTextInOrder) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const TemporaryFolder folder;
    Random random(seed);
    std::vector<Tokens> sentences(1 + random.below(20));
    Tokens text = {kEos};
    for (Tokens& sentence : sentences) {
      sentence.resize(random.below(12));
      for (int32_t& token : sentence) token = static_cast<int32_t>(4 + random.below(996));
      text.insert(text.end(), sentence.begin(), sentence.end());
      text.push_back(kEos);
    }
    const DataSet data = text_of(folder, sentences);
    const auto tokens = static_cast<int64_t>(1 + random.below(15));
    for (const BreakMode mode : {BreakMode::kSentence, BreakMode::kComplete, BreakMode::kNone}) {
      const Samples samples(data, {.mode = mode, .tokens = tokens});
      const Batch batch = whole(samples);
      EXPECT_EQ(batch.target.tokens, Tokens(text.begin() + 1, text.end()));
      EXPECT_EQ(batch.target_input.tokens, Tokens(text.begin(), text.end() - 1));
      for (int64_t i = 0; i < samples.size(); ++i) {
        EXPECT_EQ(std::ssize(batch.target.sentence(static_cast<size_t>(i))),
                  samples.target_length(i));
        if (mode == BreakMode::kNone && i + 1 < samples.size()) {
          EXPECT_EQ(samples.target_length(i), tokens);
        }
      }
    }
  }
}

TEST(Samples, OfBlocksFillBatches) {
  const TemporaryFolder folder;
  const DataSet data = text_of(folder, kSentences);
  BatchIterator batches(data, {.max_tokens = 6,
                               .first_epoch_order = BatchOrder::kFile,
                               .blocks = {.mode = BreakMode::kNone, .tokens = 3}});
  Batch batch;
  ASSERT_TRUE(batches.next(batch));
  EXPECT_THAT(batch.target.tokens, ElementsAre(4, 5, 2, 6, 7, 8));
  ASSERT_TRUE(batches.next(batch));
  EXPECT_THAT(batch.target.tokens, ElementsAre(2, 9, 2));
  EXPECT_FALSE(batches.next(batch));
}

TEST(Samples, ThatCannotBeCutAreRefused) {
  const TemporaryFolder folder;
  DataSetWriter writer(folder.path() / "pairs.skd", {.source = 10, .target = 10});
  writer.add(Tokens{5}, Tokens{6});
  writer.close();
  const DataSet pairs(folder.path() / "pairs.skd");
  EXPECT_THAT(error_of<UsageError>([&] { Samples(pairs, {.mode = BreakMode::kNone}); }),
              HasSubstr("sentence pairs cannot be cut into blocks; set data.break_mode"));
  const DataSet data = text_of(folder, kSentences);
  EXPECT_THAT(
      error_of<UsageError>([&] { Samples(data, {.mode = BreakMode::kComplete, .tokens = 0}); }),
      HasSubstr("data.block_tokens is 0"));
  EXPECT_THAT(error_of<UsageError>([&] {
                BatchIterator(data,
                              {.max_tokens = 3, .blocks = {.mode = BreakMode::kNone, .tokens = 4}});
              }),
              HasSubstr("2 of 3 blocks do not fit in a batch of 3 tokens (the longest has 4); "
                        "raise data.max_tokens to 4 or lower data.block_tokens"));
}

}  // namespace
}  // namespace skein
