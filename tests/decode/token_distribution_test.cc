#include "skein/decode/token_distribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "skein/base/random.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr float kImpossible = -std::numeric_limits<float>::infinity();

std::vector<float> logarithms(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (const double each : probabilities) {
    logits.push_back(each == 0 ? kImpossible : static_cast<float>(std::log(each)));
  }
  return logits;
}

std::vector<int32_t> ids(const TokenDistribution& distribution) {
  std::vector<int32_t> result;
  for (const auto& token : distribution.tokens()) result.push_back(token.id);
  return result;
}

const std::vector<float> kExample = logarithms({0.1, 0.4, 0, 0.2, 0.3});

TEST(TokenDistribution, OfAllTokensHasThePossibleOnes) {
  EXPECT_THAT(ids(TokenDistribution(kExample, 1, {})), ElementsAre(0, 1, 3, 4));
}

TEST(TokenDistribution, OfTheLikeliestTokensHasThose) {
  EXPECT_THAT(ids(TokenDistribution(kExample, 1, {.top_k = 2})), ElementsAre(1, 4));
  EXPECT_THAT(ids(TokenDistribution(kExample, 1, {.top_k = 9})), ElementsAre(1, 4, 3, 0));
  // 0.4 + 0.3 = 0.7 is enough for 0.7 and not for 0.71.
  EXPECT_THAT(ids(TokenDistribution(kExample, 1, {.top_p = 0.699})), ElementsAre(1, 4));
  EXPECT_THAT(ids(TokenDistribution(kExample, 1, {.top_p = 0.71})), ElementsAre(1, 4, 3));
  EXPECT_THAT(ids(TokenDistribution(kExample, 1, {.top_p = 1e-9})), ElementsAre(1));
  // Of the two likeliest, renormalised, the first has 4/7 = 0.57.
  EXPECT_THAT(ids(TokenDistribution(kExample, 1, {.top_k = 2, .top_p = 0.57})), ElementsAre(1));
  EXPECT_THAT(ids(TokenDistribution(kExample, 1, {.top_k = 2, .top_p = 0.58})), ElementsAre(1, 4));
}

TEST(TokenDistribution, EqualTokensAreTakenInTheirOrder) {
  const std::vector<float> even(5, 0.0F);
  EXPECT_THAT(ids(TokenDistribution(even, 1, {.top_k = 2})), ElementsAre(0, 1));
  EXPECT_THAT(ids(TokenDistribution(even, 1, {.top_p = 0.5})), ElementsAre(0, 1, 2));
}

TEST(TokenDistribution, OfImpossibleTokensIsEmpty) {
  EXPECT_TRUE(TokenDistribution(logarithms({0, 0}), 1, {}).empty());
  EXPECT_TRUE(TokenDistribution({}, 1, {.top_k = 3}).empty());
}

TEST(TokenDistribution, DrawsWhereTheCumulativeDistributionIs) {
  const TokenDistribution all(kExample, 1, {});  // 0.1, 0.5, 0.7, 1
  EXPECT_EQ(all.draw(0), 0);
  EXPECT_EQ(all.draw(0.09), 0);
  EXPECT_EQ(all.draw(0.11), 1);
  EXPECT_EQ(all.draw(0.49), 1);
  EXPECT_EQ(all.draw(0.51), 3);
  EXPECT_EQ(all.draw(0.71), 4);
  EXPECT_EQ(all.draw(std::nextafter(1.0, 0.0)), 4);
  const TokenDistribution two(kExample, 1, {.top_k = 2});  // 4/7, 1
  EXPECT_EQ(two.draw(0.57), 1);
  EXPECT_EQ(two.draw(0.58), 4);
}

TEST(TokenDistribution, IsFlattenedByATemperature) {
  // At temperature 2, 0.64 and 0.36 become 0.8 / 1.4 = 0.571 and 0.6 / 1.4.
  const TokenDistribution flat(logarithms({0.64, 0.36}), 0.5F, {});
  EXPECT_EQ(flat.draw(0.57), 0);
  EXPECT_EQ(flat.draw(0.58), 1);
}

// The smallest set by definition: sorted, added up one after another.
std::vector<int32_t> plain_nucleus(const std::vector<float>& logits, double top_p) {
  std::vector<int32_t> order;
  double total = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    order.push_back(static_cast<int32_t>(i));
    total += std::exp(double{logits[i]});
  }
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return logits[static_cast<size_t>(a)] > logits[static_cast<size_t>(b)];
  });
  double sum = 0;
  size_t kept = 0;
  while (kept < order.size() && sum < top_p * total) {
    sum += std::exp(double{logits[static_cast<size_t>(order[kept++])]});
  }
  order.resize(kept);
  return order;
}

TEST(TokenDistribution, TheNucleusIsTheSmallestSetOfTheProbability) {
  Random random(17);
  for (int i = 0; i < 200; ++i) {
    std::vector<float> logits(1 + random.below(300));
    const double spread = 0.1 + 4 * random.uniform();
    for (float& logit : logits) logit = static_cast<float>(spread * random.normal());
    const double top_p = 0.01 + 0.98 * random.uniform();
    EXPECT_EQ(ids(TokenDistribution(logits, 1, {.top_p = top_p})), plain_nucleus(logits, top_p));
  }
}

}  // namespace
}  // namespace skein
