// Sentences whose words are split anew every time.
#include "skein/data/resampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "error_of.h"
#include "skein/base/error.h"
#include "skein/data/batch_iterator.h"
#include "skein/data/data_set_writer.h"
#include "skein/text/tokenizers.h"
#include "temporary_folder.h"

namespace skein {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kText = {"the goose flies over the lake", "a lake is over there",
                                        "geese fly over lakes"};

std::unique_ptr<Tokenizer> learned(const std::string& type) {
  size_t next = 0;
  const int64_t size = type == "unigram" ? 25 : type == "bpe" ? 36 : 100;
  return learn_tokenizer(type, {.size = size}, [&](std::string& line) {
    if (next == kText.size()) return false;
    line = kText[next++];
    return true;
  });
}

class ResamplerOf : public testing::TestWithParam<std::string> {
 protected:
  ResamplerOf() {
    const std::filesystem::path path = folder_.path() / "pairs.skd";
    const int32_t size = tokenizer_->vocabulary().size();
    DataSetWriter writer(path, {.source = size, .target = size});
    for (int i = 0; i < 30; ++i) {
      std::vector<int32_t> source, target;
      tokenizer_->encode(kText[static_cast<size_t>(i % 3)], source);
      tokenizer_->encode(kText[static_cast<size_t>((i + 1) % 3)], target);
      writer.add(source, target);
    }
    writer.close();
    data_.emplace(path);
  }

  Resampler::Side side(int64_t longest = 1000) const {
    return {.tokenizer = tokenizer_.get(), .alpha = 0.2, .longest = longest};
  }
  std::string text(std::span<const int32_t> tokens) const { return tokenizer_->decode(tokens); }

  TemporaryFolder folder_;
  std::unique_ptr<Tokenizer> tokenizer_ = learned(GetParam());
  std::optional<DataSet> data_;
};

TEST_P(ResamplerOf, ChangesSplitsAndNeverTheText) {
  BatchIterator batches(std::span(&*data_, 1), {.max_tokens = 100}, Resampler(side(), side()));
  std::set<std::vector<int32_t>> sources, targets;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (Batch batch; batches.next(batch);) {
      for (size_t i = 0; i < batch.source.sentences(); ++i) {
        const auto sample = static_cast<size_t>(batch.sample_ids[i]);
        const auto source = batch.source.sentence(i), target = batch.target.sentence(i),
                   input = batch.target_input.sentence(i);
        ASSERT_EQ(text(source), kText[sample % 3]);
        ASSERT_EQ(text(target), kText[(sample + 1) % 3]);
        EXPECT_EQ(source.back(), kEosId);
        EXPECT_EQ(target.back(), kEosId);
        ASSERT_EQ(input.size(), target.size());
        EXPECT_EQ(input.front(), kEosId);
        EXPECT_TRUE(std::equal(input.begin() + 1, input.end(), target.begin()));
        sources.insert({source.begin(), source.end()});
        targets.insert({target.begin(), target.end()});
      }
    }
  }
  // Of 90 sentences, three texts.
  EXPECT_GT(sources.size(), 8U);
  EXPECT_GT(targets.size(), 8U);
}

TEST_P(ResamplerOf, ASideWithoutATokenizerStays) {
  BatchIterator plain(*data_, {.max_tokens = 100});
  BatchIterator batches(std::span(&*data_, 1), {.max_tokens = 100}, Resampler({}, side()));
  Batch expected, batch;
  while (plain.next(expected)) {
    ASSERT_TRUE(batches.next(batch));
    EXPECT_EQ(batch.sample_ids, expected.sample_ids);
    EXPECT_EQ(batch.source.tokens, expected.source.tokens);
  }
}

TEST_P(ResamplerOf, AResumedEpochHasTheSameSplits) {
  const Resampler resampler(side(), side());
  BatchIterator whole(std::span(&*data_, 1), {.max_tokens = 100}, resampler);
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (Batch expected;;) {
      BatchIterator resumed(std::span(&*data_, 1), {.max_tokens = 100}, resampler);
      resumed.seek(whole.cursor());
      if (!whole.next(expected)) break;
      Batch batch;
      ASSERT_TRUE(resumed.next(batch));
      EXPECT_EQ(batch.source.tokens, expected.source.tokens);
      EXPECT_EQ(batch.target.tokens, expected.target.tokens);
    }
  }
}

TEST_P(ResamplerOf, ASplitThatIsTooLongIsNotTaken) {
  std::vector<int32_t> best;
  tokenizer_->encode(kText[0], best);
  const Resampler resampler(side(std::ssize(best)), {});
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    std::vector<int32_t> tokens = best;
    resampler.source(tokens, random);
    ASSERT_LE(tokens.size(), best.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Types, ResamplerOf, testing::Values("unigram", "bpe", "codes"),
                         [](const auto& info) { return info.param; });

TEST(Resampler, RefusesWhatCannotBeSplitAnew) {
  const auto words = learned("word");
  EXPECT_THAT(error_of<UsageError>(
                  [&] { Resampler({.tokenizer = words.get(), .alpha = 0.1, .longest = 100}, {}); }),
              HasSubstr("data.source_sampling is 0.1, but a vocabulary of type word"));
  const auto codes = learned("codes");
  EXPECT_THAT(error_of<UsageError>(
                  [&] { Resampler({}, {.tokenizer = codes.get(), .alpha = 1.5, .longest = 100}); }),
              HasSubstr("data.target_sampling is 1.5"));
  const TemporaryFolder folder;
  DataSetWriter writer(folder.path() / "text.skd", {.target = codes->vocabulary().size()});
  writer.add({}, std::vector<int32_t>{5, 6});
  writer.close();
  const DataSet text(folder.path() / "text.skd");
  EXPECT_THAT(error_of<UsageError>([&] {
                BatchIterator(std::span(&text, 1), {.blocks = {.mode = BreakMode::kNone}},
                              Resampler({}, {.tokenizer = codes.get(), .alpha = 0.1}));
              }),
              HasSubstr("blocks of data.break_mode"));
}

}  // namespace
}  // namespace skein
