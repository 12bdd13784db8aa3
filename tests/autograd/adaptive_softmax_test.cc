#include "skein/autograd/adaptive_softmax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "autograd/gradient_check.h"
#include "fixture.h"
#include "random_batches.h"
#include "skein/autograd/rows.h"
#include "skein/base/error.h"

namespace skein {
namespace {

using testing::IsEmpty;

struct Sizes {
  std::vector<int64_t> ends;
  std::vector<int64_t> widths;  // of the tails
  int64_t features = 0;
  int64_t tails() const { return std::ssize(widths); }
};

Sizes random_sizes(Random& random) {
  Sizes sizes{.ends = {random_between(random, 1, 6)},
              .widths = {},
              .features = random_between(random, 1, 9)};
  const int64_t tails = random_between(random, 0, 3);
  for (int64_t i = 0; i < tails; ++i) {
    sizes.ends.push_back(sizes.ends.back() + random_between(random, 1, 6));
    sizes.widths.push_back(random_between(random, 1, 5));
  }
  return sizes;
}

// Inputs: features, head, then in and out of every tail.
std::vector<CheckedInput> inputs_of(const Sizes& sizes, int64_t rows) {
  std::vector<CheckedInput> inputs = {
      {"features", {rows, sizes.features}},
      {"head", {sizes.ends[0] + sizes.tails(), sizes.features}, true}};
  for (size_t i = 0; i < sizes.widths.size(); ++i) {
    inputs.push_back({"in", {sizes.widths[i], sizes.features}, true});
    inputs.push_back({"out", {sizes.ends[i + 1] - sizes.ends[i], sizes.widths[i]}, true});
  }
  return inputs;
}

AdaptiveWeights weights_of(const Sizes& sizes, std::span<const Variable> v, double dropout) {
  AdaptiveWeights weights{
      .bands = WordBands(sizes.ends), .head = v[1], .tails = {}, .dropout = dropout};
  for (size_t i = 0; i < sizes.widths.size(); ++i) {
    weights.tails.push_back({.in = v[2 * i + 2], .out = v[2 * i + 3]});
  }
  return weights;
}

plain::AdaptiveSoftmax twin_of(const Sizes& sizes, std::span<const plain::Matrix> v) {
  plain::AdaptiveSoftmax twin{.ends = sizes.ends, .head = v[1], .in = {}, .out = {}};
  for (size_t i = 0; i < sizes.widths.size(); ++i) {
    twin.in.push_back(v[2 * i + 2]);
    twin.out.push_back(v[2 * i + 3]);
  }
  return twin;
}

CheckedFunction checked_loss(const Sizes& sizes, const std::vector<int32_t>& targets,
                             double dropout) {
  constexpr uint64_t kSeed = 7;
  return {.inputs = inputs_of(sizes, std::ssize(targets)),
          .ours =
              [=](Tape& tape, std::span<const Variable> v) {
                return std::vector{
                    adaptive_cross_entropy(tape, v[0], weights_of(sizes, v, dropout), targets)
                        .variable};
              },
          .twin =
              [=](std::span<const plain::Matrix> v) {
                Tape masks({.seed = kSeed});
                plain::Matrix loss(1, 1);
                loss(0, 0) = twin_of(sizes, v).loss(v[0], targets,
                                                    [&] { return masks.next_dropout(dropout); });
                return std::vector{loss};
              },
          .tape_seed = kSeed};
}

// Sizes with one to four bands, and targets that leave some of them empty.
TEST(AdaptiveCrossEntropyGradient, AgreesWithCentralDifferencesForRandomBands) {
  for (uint64_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Sizes sizes = random_sizes(random);
    const std::vector<int32_t> targets =
        random_tokens(random, random_between(random, 1, 6), sizes.ends.back());
    EXPECT_THAT(disagreements(checked_loss(sizes, targets, seed % 2 == 0 ? 0 : 0.3), seed),
                IsEmpty());
  }
}

TEST(AdaptiveCrossEntropyGradient, AgreesWhereNoTargetIsInATail) {
  const Sizes sizes{.ends = {4, 9, 12}, .widths = {3, 2}, .features = 5};
  EXPECT_THAT(disagreements(checked_loss(sizes, {0, 3, 1}, 0), 1), IsEmpty());
  EXPECT_THAT(disagreements(checked_loss(sizes, {}, 0), 1), IsEmpty());
}

struct RandomSoftmax {
  AdaptiveWeights weights;
  plain::AdaptiveSoftmax twin;
  Tensor features;
  plain::Matrix plain_features;
};

RandomSoftmax random_softmax(const Sizes& sizes, int64_t rows, uint64_t seed) {
  Random random(seed);
  std::vector<Variable> variables;
  std::vector<plain::Matrix> matrices;
  for (const CheckedInput& input : inputs_of(sizes, rows)) {
    Tensor values = Tensor::uninitialized(input.shape, DType::kF32);
    for (float& value : values.values<float>()) value = static_cast<float>(random.normal());
    variables.emplace_back(values);
    matrices.push_back({values.rows(),
                        values.columns(),
                        {values.values<float>().begin(), values.values<float>().end()}});
  }
  return {weights_of(sizes, variables, 0), twin_of(sizes, matrices), variables[0].value(),
          matrices[0]};
}

// More rows than are scored at a time.
TEST(AdaptiveSoftmax, LogProbabilitiesAreThoseOfThePlainOneAndSumToOne) {
  const Sizes sizes{.ends = {5, 11, 18}, .widths = {3, 2}, .features = 6};
  const RandomSoftmax softmax = random_softmax(sizes, 700, 3);
  const Tensor all = adaptive_log_probabilities(softmax.features, softmax.weights);
  const plain::Matrix expected = softmax.twin.log_probabilities(softmax.plain_features);
  Random random(4);
  const std::vector<int32_t> targets = random_tokens(random, 700, 18);
  const std::vector<float> chosen =
      adaptive_target_log_probabilities(softmax.features, softmax.weights, targets);
  for (int64_t r = 0; r < 700; ++r) {
    double total = 0;
    for (int64_t w = 0; w < 18; ++w) {
      const auto value = static_cast<double>(all.values<float>()[static_cast<size_t>(r * 18 + w)]);
      ASSERT_NEAR(value, expected(r, w), 2e-5);
      total += std::exp(value);
    }
    EXPECT_NEAR(total, 1, 1e-5);
    const auto row = static_cast<size_t>(r);
    EXPECT_NEAR(chosen[row], expected(r, targets[row]), 2e-5);
  }
}

// One feature of 1. Head: word 0 has ln 1, the class ln 3: 1/4 and 3/4. Tail: words ln 1, ln 2,
// ln 5 through an inner column of 1: 1/8, 2/8, 5/8.
TEST(AdaptiveSoftmax, ComputesProbabilitiesByHand) {
  const auto matrix = [](std::vector<float> values, const Shape& shape) {
    return Variable(Tensor::from<float>(values, shape));
  };
  const AdaptiveWeights weights{
      .bands = WordBands({1, 4}),
      .head = matrix({0, std::log(3.0f)}, {2, 1}),
      .tails = {
          {.in = matrix({1}, {1, 1}), .out = matrix({0, std::log(2.0f), std::log(5.0f)}, {3, 1})}}};
  const Tensor x = Tensor::from<float>({1}, {1, 1});
  const Tensor all = adaptive_log_probabilities(x, weights);
  const std::vector<double> expected = {1.0 / 4, 3.0 / 32, 6.0 / 32, 15.0 / 32};
  for (size_t w = 0; w < 4; ++w) {
    EXPECT_NEAR(all.values<float>()[w], std::log(expected[w]), 1e-6);
    Tape tape({.record = false});
    const std::vector<int32_t> target = {static_cast<int32_t>(w)};
    const Loss loss = adaptive_cross_entropy(tape, Variable(x), weights, target);
    EXPECT_NEAR(loss.sums.plain, -std::log(expected[w]), 1e-6);
    EXPECT_EQ(loss.sums.tokens, 1);
  }
}

TEST(AdaptiveSoftmax, RefusesWhatDoesNotFit) {
  const Sizes sizes{.ends = {2, 5}, .widths = {1}, .features = 3};
  const RandomSoftmax softmax = random_softmax(sizes, 2, 1);
  Tape tape({});
  const auto loss = [&](std::vector<int32_t> targets) {
    return adaptive_cross_entropy(tape, Variable(softmax.features), softmax.weights, targets);
  };
  EXPECT_THROW(loss({1}), ShapeError);
  EXPECT_THROW(loss({1, 5}), ShapeError);
  EXPECT_THROW(loss({-1, 1}), ShapeError);
  EXPECT_THROW(
      adaptive_target_log_probabilities(softmax.features, softmax.weights, std::vector<int32_t>{1}),
      ShapeError);
  EXPECT_THROW(WordBands({}), ShapeError);
  EXPECT_THROW(WordBands({0, 5}), ShapeError);
  EXPECT_THROW(WordBands({5, 5}), ShapeError);
}

// The published reference's module. In its run b two targets are the second words of their tails,
// whose tail terms its loss leaves out; the right value is that of its log-probabilities.
class AdaptiveSoftmaxFixture : public testing::Test {
 protected:
  void SetUp() override {
    if (!shared_available("fixtures"))
      GTEST_SKIP() << "the reference values are not beside the checkout";
    fixture_.emplace("adaptive_softmax");
  }

  Variable variable(const std::string& name) const {
    const std::vector<int64_t> shape = fixture_->shape(name);
    return Variable(Tensor::from<float>(fixture_->floats(name), {shape[0], shape[1]}), true);
  }

  AdaptiveWeights weights() const {
    AdaptiveWeights result{
        .bands = WordBands({10, 20, 31}), .head = variable("param.head.weight"), .tails = {}};
    for (const std::string tail : {"param.tail.0.", "param.tail.1."}) {
      result.tails.push_back(
          {.in = variable(tail + "0.weight"), .out = variable(tail + "2.weight")});
    }
    return result;
  }

  std::vector<int32_t> targets(const std::string& name) const {
    const std::vector<int64_t> wide = fixture_->integers(name);
    return {wide.begin(), wide.end()};
  }

  void expect_near(const Variable& variable, const std::string& name) const {
    const std::vector<float> expected = fixture_->floats(name);
    ASSERT_EQ(static_cast<size_t>(variable.value().elements()), expected.size());
    double largest = 1;
    for (const float value : expected) largest = std::max(largest, std::abs(double{value}));
    const Tensor gradient = variable.gradient()->empty()
                                ? Tensor::zeros(variable.shape(), DType::kF32)
                                : variable.gradient()->tensor();
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(gradient.values<float>()[i], expected[i], 1e-4 * largest) << name << " " << i;
    }
  }

  std::optional<Fixture> fixture_;
};

TEST_F(AdaptiveSoftmaxFixture, LogProbabilitiesAgree) {
  const Tensor all = adaptive_log_probabilities(variable("hidden").value(), weights());
  const std::vector<float> expected = fixture_->floats("lprobs");
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(all.values<float>()[i], expected[i], 2e-5 * 10);
  }
}

TEST_F(AdaptiveSoftmaxFixture, LossAndGradientsAgree) {
  for (const auto& [run, name] : {std::pair("a", "target"), std::pair("c", "target3")}) {
    SCOPED_TRACE(run);
    const std::string prefix = std::string(run) + ".";
    const AdaptiveWeights w = weights();
    const Variable hidden = variable("hidden");
    // Targets of 1 are padding there: their rows have no part in the loss.
    std::vector<int32_t> rows, words;
    const std::vector<int32_t> all = targets(name);
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i] == 1) continue;
      rows.push_back(static_cast<int32_t>(i));
      words.push_back(all[i]);
    }
    Tape tape({});
    const Loss loss = adaptive_cross_entropy(tape, select_rows(tape, hidden, rows), w, words);
    const float expected = fixture_->floats(prefix + "loss")[0];
    EXPECT_NEAR(loss.sums.plain, expected, 2e-5 * std::abs(expected));
    tape.backward(loss.variable);
    expect_near(hidden, prefix + "grad_hidden");
    expect_near(w.head, prefix + "grad.head.weight");
    for (size_t i = 0; i < 2; ++i) {
      const std::string tail = prefix + "grad.tail." + std::to_string(i);
      expect_near(w.tails[i].in, tail + ".0.weight");
      expect_near(w.tails[i].out, tail + ".2.weight");
    }
  }
}

TEST_F(AdaptiveSoftmaxFixture, LossOfTheSecondWordsOfTailsIsTheWholeOne) {
  std::vector<int32_t> rows, words;
  const std::vector<int32_t> all = targets("target2");
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i] == 1) continue;
    rows.push_back(static_cast<int32_t>(i));
    words.push_back(all[i]);
  }
  Tape tape({.record = false});
  const Loss loss =
      adaptive_cross_entropy(tape, select_rows(tape, variable("hidden"), rows), weights(), words);
  const float expected = fixture_->floats("b.nll_from_lprobs")[0];
  EXPECT_NEAR(loss.sums.plain, expected, 2e-5 * std::abs(expected));
  EXPECT_GT(std::abs(expected - fixture_->floats("b.loss")[0]), 1);
}

}  // namespace
}  // namespace skein
