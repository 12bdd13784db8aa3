// How often the samples of several data sets are seen.
#include "skein/data/mixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "error_of.h"
#include "skein/base/error.h"
#include "skein/data/batch_iterator.h"
#include "skein/data/data_set_writer.h"
#include "temporary_folder.h"

namespace skein {
namespace {

using testing::DoubleEq;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(MixtureRates, AreTheWeightsTimesWhatTheTemperatureMakesOfSizes) {
  const std::vector<int64_t> sizes = {100, 400};
  EXPECT_THAT(mixture_rates(sizes, {}, 1), ElementsAre(1, 1));
  EXPECT_THAT(mixture_rates(sizes, std::vector{2.5, 0.5}, 1), ElementsAre(2.5, 0.5));
  // (1/4)^(1/2 - 1) = 2: 200 and 400 samples, as sqrt(100) : sqrt(400).
  EXPECT_THAT(mixture_rates(sizes, {}, 2), ElementsAre(DoubleEq(2), DoubleEq(1)));
  EXPECT_NEAR(mixture_rates(sizes, {}, 1e9)[0], 4, 1e-6);
  EXPECT_THAT(mixture_rates(sizes, std::vector{3.0, 1.0}, 2), ElementsAre(DoubleEq(6), 1));
}

TEST(MixtureRates, RefuseWhatIsNoRate) {
  const std::vector<int64_t> sizes = {100, 400};
  EXPECT_THAT(error_of<UsageError>([&] { mixture_rates(sizes, std::vector{1.0}, 1); }),
              HasSubstr("data.weights has 1 numbers for 2 folders of data"));
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_THROW(mixture_rates(sizes, std::vector{1.0, bad}, 1), UsageError) << bad;
    EXPECT_THROW(mixture_rates(sizes, {}, bad), UsageError) << bad;
  }
}

TEST(SamplesOfEpoch, EverySampleIsSeenEquallyOften) {
  for (const double rate : {0.3, 0.5, 1.0, 1.7, 3.0}) {
    std::vector<int> seen(20);
    for (int64_t epoch = 0; epoch < 50; ++epoch) {
      const auto chosen = samples_of_epoch(20, rate, 5, epoch);
      EXPECT_EQ(chosen.size(), static_cast<size_t>(20 * rate));
      for (const uint32_t sample : chosen) ++seen[sample];
    }
    const auto [least, most] = std::minmax_element(seen.begin(), seen.end());
    EXPECT_LE(*most - *least, 1) << rate;
    EXPECT_NEAR(*most, 50 * rate, 1) << rate;
  }
}

TEST(SamplesOfEpoch, AreOthersInEveryEpochAndTheSameForTheSameSeed) {
  std::set<std::vector<uint32_t>> epochs;
  for (int64_t epoch = 0; epoch < 10; ++epoch) {
    const auto chosen = samples_of_epoch(50, 0.2, 1, epoch);
    EXPECT_EQ(chosen, samples_of_epoch(50, 0.2, 1, epoch));
    EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
    epochs.insert(chosen);
  }
  EXPECT_EQ(epochs.size(), 10U);
  EXPECT_NE(samples_of_epoch(50, 0.2, 1, 0), samples_of_epoch(50, 0.2, 2, 0));
  EXPECT_THAT(samples_of_epoch(3, 1e-9, 1, 0), testing::SizeIs(1));
}

class MixtureTest : public testing::Test {
 protected:
  MixtureTest() {
    // The token says of which set a sentence is.
    for (const auto& [count, token] : {std::pair(40, 10), std::pair(10, 20)}) {
      const std::filesystem::path path = folder_.path() / (std::to_string(token) + ".skd");
      DataSetWriter writer(path, {.target = 100});
      for (int i = 0; i < count; ++i) {
        writer.add({}, std::vector<int32_t>(static_cast<size_t>(1 + i % 5), token));
      }
      writer.close();
      data_.emplace_back(path);
    }
  }

  TemporaryFolder folder_;
  std::vector<DataSet> data_;
};

TEST_F(MixtureTest, BatchesHoldEachSetAsOftenAsItsRateSays) {
  BatchIterator batches(data_, {.max_tokens = 30, .rates = {0.5, 3}});
  for (int epoch = 0; epoch < 3; ++epoch) {
    int first = 0, second = 0;
    std::vector<int> seen(50);
    for (Batch batch; batches.next(batch);) {
      for (size_t i = 0; i < batch.target.sentences(); ++i) {
        const bool is_first = batch.target.sentence(i)[0] == 10;
        ++(is_first ? first : second);
        EXPECT_EQ(is_first, batch.sample_ids[i] < 40);
        ++seen[static_cast<size_t>(batch.sample_ids[i])];
      }
    }
    EXPECT_EQ(first, 20);
    EXPECT_EQ(second, 30);
    EXPECT_THAT(std::vector(seen.begin() + 40, seen.end()), Each(3));
  }
}

TEST_F(MixtureTest, AStoppedEpochGoesOn) {
  const BatchOptions options = {.max_tokens = 30, .seed = 3, .rates = {0.3, 1.9}};
  BatchIterator whole(data_, options);
  std::vector<std::pair<Cursor, std::vector<int64_t>>> places;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (Batch batch;;) {
      const Cursor before = whole.cursor();
      if (!whole.next(batch)) break;
      places.emplace_back(before, batch.sample_ids);
    }
  }
  for (const auto& [cursor, samples] : places) {
    BatchIterator resumed(data_, options);
    resumed.seek(cursor);
    Batch batch;
    ASSERT_TRUE(resumed.next(batch));
    EXPECT_EQ(batch.sample_ids, samples);
  }
}

TEST_F(MixtureTest, BlocksEndWithTheirDataSet) {
  const Samples samples(data_, {.mode = BreakMode::kNone, .tokens = 7});
  ASSERT_EQ(samples.begins().size(), 3U);
  // 40 sentences of 1 to 5 tokens with an end mark each: 160 tokens; 10: 40.
  EXPECT_THAT(samples.begins(), ElementsAre(0, 23, 23 + 6));
  Batch batch;
  for (int64_t i = 0; i < samples.size(); ++i) samples.append(i, 2, batch);
  for (size_t i = 0; i < batch.target.sentences(); ++i) {
    for (const int32_t token : batch.target.sentence(i)) {
      EXPECT_THAT(token, testing::AnyOf(2, i < 23 ? 10 : 20));
    }
  }
  EXPECT_EQ(batch.target_input.sentence(23)[0], 2);
}

TEST_F(MixtureTest, AnEpochOfMoreSamplesThanCanBeNumberedIsRefused) {
  EXPECT_THAT(error_of<UsageError>([&] {
                BatchIterator(data_, {.rates = {1, 1e9}});
              }),
              HasSubstr("an epoch of 1e+10 of 50 samples"));
}

TEST_F(MixtureTest, ASetThatDoesNotFitIsNamed) {
  EXPECT_THAT(error_of<UsageError>([&] { BatchIterator(data_, {.max_tokens = 5}); }),
              HasSubstr("10.skd: 8 of 40 samples do not fit"));
  const std::filesystem::path path = folder_.path() / "none.skd";
  DataSetWriter(path, {.target = 100}).close();
  data_.emplace_back(path);
  EXPECT_THAT(error_of<UsageError>([&] { BatchIterator(data_, {}); }),
              HasSubstr("none.skd: no samples"));
}

}  // namespace
}  // namespace skein
