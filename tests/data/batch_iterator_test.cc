#include "skein/data/batch_iterator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "skein/base/error.h"
#include "skein/base/random.h"
#include "skein/data/data_set_writer.h"
#include "skein/data/prefetcher.h"
#include "temporary_folder.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Tokens = std::vector<int32_t>;

// `samples` sentence pairs of up to `longest` tokens; ids begin at 4, behind the special ones.
DataSet random_data(const TemporaryFolder& folder, int samples, uint64_t longest, uint64_t seed) {
  const std::filesystem::path path = folder.path() / ("random" + std::to_string(seed) + ".skd");
  DataSetWriter writer(path, {.source = 1000, .target = 1000});
  Random random(seed);
  for (int i = 0; i < samples; ++i) {
    Tokens source(random.below(longest + 1));
    Tokens target(random.below(longest + 1));
    for (int32_t& token : source) token = static_cast<int32_t>(4 + random.below(996));
    for (int32_t& token : target) token = static_cast<int32_t>(4 + random.below(996));
    writer.add(source, target);
  }
  writer.close();
  return DataSet(path);
}

std::vector<Batch> epoch_of(BatchIterator& batches) {
  std::vector<Batch> epoch;
  for (Batch batch; batches.next(batch);) epoch.push_back(batch);
  return epoch;
}

std::vector<int64_t> sample_ids(const std::vector<Batch>& epoch) {
  std::vector<int64_t> ids;
  for (const Batch& batch : epoch) {
    ids.insert(ids.end(), batch.sample_ids.begin(), batch.sample_ids.end());
  }
  return ids;
}

template <typename Body>
std::string usage_error_of(Body body) {
  try {
    body();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(BatchIterator, FramesEverySentenceByItsEndMark) {
  const TemporaryFolder folder;
  DataSetWriter writer(folder.path() / "a.skd", {.source = 10, .target = 10});
  writer.add(Tokens{5, 6}, Tokens{7});
  writer.add(Tokens{}, Tokens{8, 9});
  writer.close();
  const DataSet data(folder.path() / "a.skd");
  BatchIterator batches(data, {.first_epoch_order = BatchOrder::kFile});
  Batch batch;
  ASSERT_TRUE(batches.next(batch));
  EXPECT_THAT(batch.source.tokens, ElementsAre(5, 6, 2, 2));
  EXPECT_THAT(batch.source.offsets, ElementsAre(0, 3, 4));
  EXPECT_THAT(batch.target_input.tokens, ElementsAre(2, 7, 2, 8, 9));
  EXPECT_THAT(batch.target.tokens, ElementsAre(7, 2, 8, 9, 2));
  EXPECT_EQ(batch.target.offsets, batch.target_input.offsets);
  EXPECT_THAT(batch.sample_ids, ElementsAre(0, 1));
  EXPECT_FALSE(batches.next(batch));
}

TEST(BatchIterator, MonolingualBatchesHaveNoSource) {
  const TemporaryFolder folder;
  DataSetWriter writer(folder.path() / "a.skd", {.target = 10});
  writer.add({}, Tokens{7});
  writer.close();
  const DataSet data(folder.path() / "a.skd");
  BatchIterator batches(data, {});
  Batch batch;
  ASSERT_TRUE(batches.next(batch));
  EXPECT_EQ(batch.source.sentences(), 0u);
  EXPECT_THAT(batch.target.tokens, ElementsAre(7, 2));
}

TEST(BatchIterator, GivesEachSampleExactlyOnceAnEpochAndNeverMoreThanTheLimits) {
  const TemporaryFolder folder;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const DataSet data = random_data(folder, 700, 40, seed);
    Random random(seed);
    const int64_t max_tokens = 41 + static_cast<int64_t>(random.below(400));
    const auto max_sentences = static_cast<int64_t>(random.below(20));
    BatchIterator batches(data, {.max_tokens = max_tokens,
                                 .max_sentences = max_sentences,
                                 .first_epoch_order = static_cast<BatchOrder>(seed % 3),
                                 .pool_samples = static_cast<int64_t>(1 + random.below(900)),
                                 .seed = seed});
    for (int epoch = 0; epoch < 3; ++epoch) {
      const int64_t announced = batches.batch_count();
      const std::vector<Batch> all = epoch_of(batches);
      EXPECT_EQ(std::ssize(all), announced);
      std::vector<int64_t> ids = sample_ids(all);
      std::sort(ids.begin(), ids.end());
      ASSERT_EQ(ids.size(), 700u);
      for (int64_t i = 0; i < 700; ++i) ASSERT_EQ(ids[static_cast<size_t>(i)], i);
      for (const Batch& batch : all) {
        EXPECT_LE(std::ssize(batch.source.tokens), max_tokens);
        EXPECT_LE(std::ssize(batch.target.tokens), max_tokens);
        EXPECT_LE(std::ssize(batch.sample_ids), max_sentences > 0 ? max_sentences : 700);
        EXPECT_EQ(batch.source.sentences(), batch.sample_ids.size());
        EXPECT_EQ(batch.target.sentences(), batch.sample_ids.size());
        EXPECT_EQ(batch.target_input.sentences(), batch.sample_ids.size());
      }
    }
  }
}

TEST(BatchIterator, ShufflesByTheSeedAndTheEpochOnly) {
  const TemporaryFolder folder;
  const DataSet data = random_data(folder, 300, 20, 1);
  BatchIterator first(data, {.max_tokens = 100, .seed = 7});
  BatchIterator again(data, {.max_tokens = 100, .seed = 7});
  BatchIterator other(data, {.max_tokens = 100, .seed = 8});
  const std::vector<int64_t> epoch0 = sample_ids(epoch_of(first));
  EXPECT_EQ(sample_ids(epoch_of(again)), epoch0);
  EXPECT_NE(sample_ids(epoch_of(other)), epoch0);
  const std::vector<int64_t> epoch1 = sample_ids(epoch_of(first));
  EXPECT_NE(epoch1, epoch0);
  EXPECT_EQ(sample_ids(epoch_of(again)), epoch1);
}

TEST(BatchIterator, PutsSentencesOfSimilarLengthTogether) {
  const TemporaryFolder folder;
  const DataSet data = random_data(folder, 2000, 50, 1);
  BatchIterator batches(data, {.max_tokens = 500});
  for (const Batch& batch : epoch_of(batches)) {
    int64_t shortest = 100;
    int64_t longest = 0;
    for (const int64_t sample : batch.sample_ids) {
      const int64_t length = data.source_length(sample) + data.target_length(sample);
      shortest = std::min(shortest, length);
      longest = std::max(longest, length);
    }
    // 2000 sums of two lengths in 0..50 in batches of about 20: the rarest lengths are at both
    // ends.
    EXPECT_LE(longest - shortest, 20);
  }
}

TEST(BatchIterator, ResumesAtAnyBatchWithTheSameRemainder) {
  const TemporaryFolder folder;
  const DataSet data = random_data(folder, 200, 30, 4);
  const BatchOptions options{.max_tokens = 120, .seed = 3};
  BatchIterator whole(data, options);
  std::vector<Cursor> cursors;
  std::vector<std::vector<int64_t>> ids;  // an empty entry is the end of an epoch
  for (int epochs = 0; epochs < 2;) {
    cursors.push_back(whole.cursor());
    Batch batch;
    const bool in_epoch = whole.next(batch);
    ids.push_back(in_epoch ? batch.sample_ids : std::vector<int64_t>());
    if (!in_epoch) ++epochs;
  }
  for (size_t begin = 0; begin < cursors.size(); ++begin) {
    BatchIterator resumed(data, options);
    resumed.seek(cursors[begin]);
    for (size_t i = begin; i < ids.size(); ++i) {
      ASSERT_EQ(resumed.cursor(), cursors[i]);
      Batch batch;
      const bool in_epoch = resumed.next(batch);
      ASSERT_EQ(in_epoch ? batch.sample_ids : std::vector<int64_t>(), ids[i]) << begin << " " << i;
    }
  }
}

TEST(BatchIterator, RefusesACursorOfOtherDataOrOptions) {
  const TemporaryFolder folder;
  const DataSet data = random_data(folder, 200, 30, 4);
  BatchIterator first(data, {.max_tokens = 120});
  Batch batch;
  for (int i = 0; i < 5; ++i) first.next(batch);
  BatchIterator other(data, {.max_tokens = 60});
  EXPECT_THAT(usage_error_of([&] { other.seek(first.cursor()); }),
              HasSubstr("resume with the data, seed and batch size of the first run"));
  EXPECT_EQ(sample_ids(epoch_of(other)).size(), 200u);
}

TEST(BatchIterator, RefusesSamplesLongerThanABatchAndNamesBothRemedies) {
  const TemporaryFolder folder;
  DataSetWriter writer(folder.path() / "a.skd", {.source = 10, .target = 10});
  writer.add(Tokens(3, 5), Tokens(2, 5));
  writer.add(Tokens(2, 5), Tokens(8, 5));
  writer.close();
  const DataSet data(folder.path() / "a.skd");
  EXPECT_THAT(
      usage_error_of([&] { BatchIterator(data, {.max_tokens = 8}); }),
      HasSubstr("1 of 2 samples do not fit in a batch of 8 tokens (the longest has 9 with its end "
                "mark); raise max_tokens to 9 or prepare the data again with --max-length 7"));
  EXPECT_EQ(BatchIterator(data, {.max_tokens = 9}).batch_count(), 2);
}

TEST(BatchIterator, RefusesDataWithoutSamplesAndOptionsOutOfRange) {
  const TemporaryFolder folder;
  DataSetWriter writer(folder.path() / "a.skd", {.source = 10, .target = 10});
  writer.close();
  const DataSet empty(folder.path() / "a.skd");
  EXPECT_THAT(usage_error_of([&] { BatchIterator(empty, {}); }), HasSubstr("no samples"));
  const DataSet data = random_data(folder, 10, 5, 1);
  EXPECT_THAT(usage_error_of([&] { BatchIterator(data, {.max_tokens = 0}); }),
              HasSubstr("max_tokens is 0; it must be between 1 and"));
}

TEST(Prefetcher, GivesTheSameBatchesAndCursorsAsTheIterator) {
  const TemporaryFolder folder;
  const DataSet data = random_data(folder, 150, 30, 5);
  const BatchOptions options{.max_tokens = 100};
  BatchIterator plain(data, options);
  Prefetcher prefetched(BatchIterator(data, options), 3);
  EXPECT_EQ(prefetched.batch_count(), plain.batch_count());
  for (int i = 0; i < 100; ++i) {
    Batch expected;
    Batch batch;
    ASSERT_EQ(plain.next(expected), prefetched.next(batch));
    EXPECT_EQ(batch.sample_ids, expected.sample_ids);
    EXPECT_EQ(batch.target.tokens, expected.target.tokens);
    EXPECT_EQ(prefetched.cursor(), plain.cursor());
    EXPECT_EQ(prefetched.batch_count(), plain.batch_count());
  }
}

TEST(Prefetcher, PassesAnErrorOfItsThreadToTheCaller) {
  const TemporaryFolder folder;
  DataSetWriter writer(folder.path() / "good.skd", {.source = 10, .target = 10});
  writer.add(Tokens{5}, Tokens{6});
  writer.close();
  std::string bytes = read_file(folder.path() / "good.skd");
  bytes[128] = 99;  // the first token
  const DataSet altered(folder.file("bad.skd", bytes));
  Prefetcher batches(BatchIterator(altered, {}));
  Batch batch;
  EXPECT_THROW(batches.next(batch), FormatError);
  EXPECT_THROW(batches.next(batch), FormatError);
}

}  // namespace
}  // namespace skein
