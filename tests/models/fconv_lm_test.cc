// The gated convolutional language model agrees with a plain one in double precision, in values and
// gradients; its presets and what its settings refuse.
#include "skein/models/fconv_lm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/model_properties.h"
#include "models/plain_fconv_lm.h"
#include "nn/filled_store.h"
#include "skein/base/error.h"

namespace skein {
namespace {

using testing::HasSubstr;

constexpr VocabularySizes kVocabulary{.source = 0, .target = 15};

// Every second one with an adaptive softmax of one to four bands.
FConvLmOptions combination(int number) {
  Random random(static_cast<uint64_t>(number));
  FConvLmOptions options{.layers = {},
                         .embedding = random_between(random, 3, 8),
                         .features = random_between(random, 2, 6),
                         .max_positions = 9,
                         .dropout = 0};
  const int64_t count = random_between(random, 1, 4);
  for (int64_t i = 0; i < count; ++i) {
    options.layers.push_back({.width = random_between(random, 4, 8),
                              .kernel = random_between(random, 1, 5),
                              .residual = random_between(random, 0, i + 1)});
  }
  if (number % 2 == 0) return options;
  std::vector<int64_t> ends;
  for (int64_t end = 0; std::ssize(ends) < number / 2 % 4;) {
    ends.push_back(end += random_between(random, 1, 4));
  }
  ends.push_back(kVocabulary.target);
  options.bands = WordBands(ends);
  options.adaptive_factor = 1.5;
  return options;
}

class FConvLmProperty : public testing::TestWithParam<int> {
 protected:
  FConvLmProperty() : options_(combination(GetParam())) { make(); }

  void make() {
    model_ = std::make_unique<FConvLm>(options_, kVocabulary.target);
    fill_parameters(model_->parameters(), 17, 0.4);
  }

  PlainFConvLm twin() const { return {options_, plain_parameters(model_->parameters())}; }

  FConvLmOptions options_;
  std::unique_ptr<FConvLm> model_;
};

TEST_P(FConvLmProperty, FeaturesAgreeWithThePlainModel) {
  expect_features_of_the_twin(*model_, twin(), kVocabulary);
}

TEST_P(FConvLmProperty, EveryParametersGradientAgreesWithDifferencesOfThePlainModel) {
  options_.dropout = 0.2;
  options_.adaptive_dropout = 0.3;
  make();
  const Batch batch = random_batch(kVocabulary, 3, 3);
  constexpr uint64_t kSeed = 5;
  const LossSums sums = gradients_of(*model_, batch, {.seed = kSeed}).sums;
  PlainFConvLm plain = twin();
  const auto plain_loss = [&] {
    Tape masks({.seed = kSeed});
    return plain.loss(masks, batch, 0.1);
  };
  EXPECT_NEAR(sums.smoothed, plain_loss(), 2e-5 * sums.smoothed);
  expect_gradients_of_the_twin(*model_, plain.parameters(), plain_loss);
}

TEST_P(FConvLmProperty, StepByStepEqualsTheWholeSentenceWhileBeamsBranch) {
  expect_steps_to_equal_the_whole(*model_, kVocabulary);
}

TEST_P(FConvLmProperty, ScoresTargetsByTheirLogProbabilities) {
  expect_scores_to_be_the_log_probabilities(*model_, kVocabulary);
}

INSTANTIATE_TEST_SUITE_P(Settings, FConvLmProperty, testing::Range(0, 16));

// By hand: one layer of width 1 and window 2. Every normalised weight is its length: 1, but 0 for
// the gates, whose sigmoid is then 1/2; no bias. Words 2 and 4 become x = 2, 4; the convolution
// sums a word and the one before, each by 1 / sqrt(2), the norm of two ones:
//   (2 / sqrt 2 / 2 + 2) r and ((2 + 4) / sqrt 2 / 2 + 4) r, r = sqrt(1/2); out keeps them.
TEST(FConvLm, ComputesTwoTokensByHand) {
  const FConvLmOptions options{
      .layers = {{.width = 1, .kernel = 2}}, .embedding = 1, .features = 1, .dropout = 0};
  FConvLm model(options, 2);
  model.parameters().allocate({});
  for (const Parameter& each : model.parameters().parameters()) {
    Tensor tensor = each.variable.value();
    const std::span<float> values = tensor.values<float>();
    if (each.name.ends_with("weight_v") || each.name.ends_with("weight_g")) {
      std::ranges::fill(values, 1.0f);
    }
    if (each.name.ends_with("convolution.weight_g")) values[1] = 0;
    if (each.name == "decoder.embedding.weight")
      std::ranges::copy(std::vector{2.0f, 4.0f}, values.begin());
  }
  Batch batch;
  batch.target_input.append(std::vector<int32_t>{0, 1});
  const Tensor features = whole_features(model, batch);
  const double r = std::sqrt(0.5);
  EXPECT_NEAR(features.values<float>()[0], (2 * r / 2 + 2) * r, 1e-6);
  EXPECT_NEAR(features.values<float>()[1], (6 * r / 2 + 4) * r, 1e-6);
}

// Six operations a weight and token; of an adaptive softmax's tail only for the targets in it.
TEST(FConvLm, CountsTheFloatingPointOperationsOfAStepByHand) {
  FConvLmOptions options{
      .layers = {{.width = 4, .kernel = 3}, {.width = 8}}, .embedding = 2, .features = 3};
  Batch batch;
  batch.target_input.append(std::vector<int32_t>(3));
  batch.target.append(std::vector<int32_t>{0, 5, 1});
  // In, 2 x 4; windows of 3 x 4 to 8; 4 to 16 and the projection 4 to 8.
  const double layers = 2 * 4 + 12 * 8 + 4 * 16 + 4 * 8;
  FConvLm whole(options, 9);
  whole.parameters().allocate({});
  EXPECT_EQ(whole.training_flops(batch), 6 * 3 * (layers + 8 * 3 + 3 * 9));
  options.bands = WordBands({4, 9});
  FConvLm adaptive(options, 9);
  adaptive.parameters().allocate({});
  // Head of 4 words and a class; one target in the tail of width 2 and 5 words.
  EXPECT_EQ(adaptive.training_flops(batch), 6 * (3 * (layers + 8 * 5) + (8 * 2 + 2 * 5)));
}

std::string refusal(const std::string& preset,
                    const std::vector<std::pair<std::string, std::string>>& changes,
                    const VocabularySizes& vocabulary) {
  const auto config = models().get(preset)();
  Settings settings;
  config->bind(settings);
  try {
    for (const auto& [name, value] : changes) settings.set(name, value);
    config->build(vocabulary);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(FConvLmSettings, ThatContradictEachOtherAreRefused) {
  const char* small = "fconv_lm_small";
  const VocabularySizes words{.source = 0, .target = 1000};
  EXPECT_EQ(refusal(small, {}, words), "");
  EXPECT_EQ(refusal(small, {{"model.cutoffs", "100 999"}}, words), "");
  EXPECT_EQ(refusal(small, {{"model.cutoffs", "100 1000"}}, words),
            "model.cutoffs = '100 1000': '1000' is no cut-off of a vocabulary of 1000; give "
            "ascending numbers from 1 to 999, or none for a softmax over all words");
  EXPECT_THAT(refusal(small, {{"model.cutoffs", "0 10"}}, words), HasSubstr("'0' is no cut-off"));
  EXPECT_THAT(refusal(small, {{"model.cutoffs", "10 10"}}, words), HasSubstr("'10' is no cut-off"));
  EXPECT_THAT(refusal(small, {{"model.cutoffs", "10,20"}}, words), HasSubstr("'10,20' is no"));
  EXPECT_THAT(refusal(small, {{"model.cutoffs", "10 20 30 40 50 60"}}, words),
              HasSubstr("a width of 256 leaves nothing for band 6 of the words"));
  EXPECT_THAT(refusal("fconv_lm_dauphin_wikitext103", {}, words),
              HasSubstr("'10000' is no cut-off of a vocabulary of 1000"));
  EXPECT_THAT(refusal(small, {{"model.layers", "256y3"}}, words), HasSubstr("model.layers"));
  EXPECT_THAT(refusal(small, {}, {.source = 9, .target = 9}),
              HasSubstr("this model is a language model"));
}

TEST(AdaptiveSoftmax, IsNotSmoothed) {
  FConvLmOptions options = combination(3);
  options.bands = WordBands({4, 15});
  FConvLm model(options, 15);
  fill_parameters(model.parameters(), 1, 0.4);
  const Batch batch = random_batch(kVocabulary, 1, 1);
  Tape tape({.record = false});
  try {
    cross_entropy(tape, model.features(tape, batch), model.output(tape), batch.target.tokens, 0.1);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("set criterion.name to cross_entropy"));
  }
}

int64_t parameter_count(const std::string& preset, int64_t words) {
  return models().get(preset)()->build({.source = 0, .target = words})->parameters().count();
}

int64_t map(int64_t inputs, int64_t outputs) { return inputs * outputs + 2 * outputs; }

// A linear map of n to m has n m + 2 m parameters (weights, lengths, biases); layers as in table 1
// of the paper.
TEST(FConvLmPresets, HaveTheSizesComputedByHand) {
  const int64_t wikitext = 3 * map(6 * 850, 1700) + 2 * map(850, 1700) + 4 * map(5 * 850, 1700) +
                           3 * map(4 * 850, 1700) + map(4 * 850, 2048) + map(850, 1024) +
                           map(4 * 1024, 4096) + map(1024, 2048);
  // Head of 10000 words and 3 classes; bands of 512, 128 and 32 columns.
  const int64_t softmax =
      10003 * 2048 + 512 * (2048 + 10000) + 128 * (2048 + 180000) + 32 * (2048 + 67735);
  EXPECT_EQ(parameter_count("fconv_lm_dauphin_wikitext103", 267735),
            267735 * 280 + map(280, 850) + wikitext + softmax);
}

// Of one size with 8000 words: they are trained side by side in examples/war_and_peace.
TEST(FConvLmPresets, TheSmallOneIsAsLargeAsTheSmallTransformer) {
  const auto convolutions = static_cast<double>(parameter_count("fconv_lm_small", 8000));
  const auto transformer = static_cast<double>(parameter_count("transformer_lm_small", 8000));
  EXPECT_NEAR(convolutions, transformer, 0.02 * transformer);
}

}  // namespace
}  // namespace skein
