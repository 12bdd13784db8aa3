#include "skein/bench/random_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "data/temporary_folder.h"
#include "error_of.h"
#include "skein/text/vocabulary.h"

namespace skein {
namespace {

using testing::HasSubstr;

std::vector<nlohmann::json> json_lines(const std::filesystem::path& path) {
  std::istringstream text(read_file(path));
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

// Mean, deviation and correlation of 20000 pairs; the bounds are about five standard errors, and
// rounding to whole tokens moves deviations by less than 0.01.
TEST(RandomPairs, HaveTheLengthsOfMulti30k) {
  const auto pairs = random_pairs(20000, 100, 1);
  ASSERT_EQ(pairs.size(), 20000u);
  double source = 0, target = 0, log_source = 0, log_target = 0, square_source = 0,
         square_target = 0, product = 0;
  for (const TokenPair& pair : pairs) {
    const auto s = static_cast<double>(pair.source.size());
    const auto t = static_cast<double>(pair.target.size());
    source += s / 20000;
    target += t / 20000;
    log_source += std::log(s) / 20000;
    log_target += std::log(t) / 20000;
    square_source += std::log(s) * std::log(s) / 20000;
    square_target += std::log(t) * std::log(t) / 20000;
    product += std::log(s) * std::log(t) / 20000;
  }
  const double deviation_source = std::sqrt(square_source - log_source * log_source);
  const double deviation_target = std::sqrt(square_target - log_target * log_target);
  EXPECT_NEAR(source, 14.0, 0.2);
  EXPECT_NEAR(target, 14.4, 0.25);
  EXPECT_NEAR(deviation_source, 0.313, 0.015);
  EXPECT_NEAR(deviation_target, 0.348, 0.015);
  EXPECT_NEAR((product - log_source * log_target) / (deviation_source * deviation_target), 0.856,
              0.015);
}

TEST(RandomPairs, AreMadeOfWordsAndRepeatWithTheirSeed) {
  const auto pairs = random_pairs(200, 6, 3);
  for (const TokenPair& pair : pairs) {
    for (const auto* side : {&pair.source, &pair.target}) {
      EXPECT_FALSE(side->empty());
      EXPECT_TRUE(std::all_of(side->begin(), side->end(),
                              [](int32_t id) { return id >= kSpecialTokens && id < 6; }));
    }
  }
  const auto again = random_pairs(200, 6, 3);
  const auto others = random_pairs(200, 6, 4);
  EXPECT_EQ(again.back().source, pairs.back().source);
  EXPECT_EQ(again.back().target, pairs.back().target);
  EXPECT_NE(others.back().source, pairs.back().source);
}

TEST(RandomPairs, NeedAWord) {
  EXPECT_THROW(random_pairs(1, kSpecialTokens, 1), UsageError);
  EXPECT_THROW(random_batches({.vocabulary = kSpecialTokens}), UsageError);
}

TEST(RandomBatches, AreAsTrainingHasThem) {
  const auto batches = random_batches({.count = 4, .vocabulary = 50, .max_tokens = 200, .seed = 2});
  ASSERT_GE(batches.size(), 3u);
  for (const Batch& batch : batches) {
    EXPECT_LE(batch.source.tokens.size(), 200u);
    EXPECT_LE(batch.target.tokens.size(), 200u);
    ASSERT_GT(batch.source.sentences(), 1u);
    ASSERT_EQ(batch.source.sentences(), batch.target.sentences());
    size_t shortest = 1000, longest = 0;
    for (size_t s = 0; s < batch.source.sentences(); ++s) {
      const auto source = batch.source.sentence(s);
      const auto target = batch.target.sentence(s);
      const auto input = batch.target_input.sentence(s);
      shortest = std::min(shortest, source.size());
      longest = std::max(longest, source.size());
      EXPECT_EQ(source.back(), kEosId);
      EXPECT_EQ(target.back(), kEosId);
      ASSERT_EQ(input.size(), target.size());
      EXPECT_EQ(input[0], kEosId);
      EXPECT_TRUE(std::equal(input.begin() + 1, input.end(), target.begin()));
    }
    // 32 batches of the pool share lengths of about 5 to 35.
    EXPECT_LE(longest - shortest, 15u);
  }
  // The first is of short sentences, the last of long ones.
  EXPECT_LT(batches.front().source.sentence(0).size(), batches.back().source.sentence(0).size());
}

TEST(RandomBatches, TellWhatTheyCannotHold) {
  EXPECT_THAT(error_of<UsageError>([] { random_batches({.max_tokens = 8}); }),
              HasSubstr("batches of 8 tokens cannot hold a random sentence of "));
  EXPECT_THROW(random_batches({.count = 0}), UsageError);
}

TEST(RandomBatches, AreWrittenWithoutEndSymbols) {
  const TemporaryFolder folder;
  const auto batches = random_batches({.count = 2, .vocabulary = 50, .max_tokens = 200});
  write_batches(batches, folder.path() / "batches");
  const auto rows = json_lines(folder.path() / "batches");
  ASSERT_EQ(rows.size(), batches.size());
  for (size_t b = 0; b < rows.size(); ++b) {
    ASSERT_EQ(rows[b].at("source").size(), batches[b].source.sentences());
    auto source = rows[b].at("source")[0].get<std::vector<int32_t>>();
    auto target = rows[b].at("target").back().get<std::vector<int32_t>>();
    source.push_back(kEosId);
    target.push_back(kEosId);
    const auto first = batches[b].source.sentence(0);
    const auto last = batches[b].target.sentence(batches[b].target.sentences() - 1);
    EXPECT_THAT(source, testing::ElementsAreArray(first.begin(), first.end()));
    EXPECT_THAT(target, testing::ElementsAreArray(last.begin(), last.end()));
  }
}

}  // namespace
}  // namespace skein
