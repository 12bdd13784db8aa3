// ConvS2S agrees with a plain one in double precision, in values and gradients; its presets and
// what its settings refuse.
#include "skein/models/fconv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/model_properties.h"
#include "models/plain_fconv.h"
#include "nn/filled_store.h"
#include "skein/base/error.h"

namespace skein {
namespace {

using testing::HasSubstr;

constexpr VocabularySizes kVocabulary{.source = 13, .target = 11};

// Every second setting differs between neighbours.
FConvOptions combination(int number) {
  Random random(static_cast<uint64_t>(number));
  const auto layers = [&] {
    std::vector<ConvolutionLayer> result;
    const int64_t count = random_between(random, 1, 3);
    for (int64_t i = 0; i < count; ++i) {
      result.push_back({.width = random_between(random, 3, 7),
                        .kernel = random_between(random, 1, 5),
                        .residual = random_between(random, 0, i + 1)});
    }
    return result;
  };
  FConvOptions options{.encoder_layers = layers(),
                       .decoder_layers = layers(),
                       .attention = {},
                       .embedding = random_between(random, 3, 8),
                       .features = random_between(random, 2, 6),
                       .positions = number % 2 == 0,
                       .share_output = number % 4 >= 2,
                       .max_positions = 9,
                       .dropout = 0};
  if (options.share_output) options.features = options.embedding;
  for (size_t i = 0; i < options.decoder_layers.size(); ++i) {
    options.attention.push_back(random.below(2) == 0);
  }
  options.attention.back() = options.attention.back() || number % 3 == 0;
  if (std::ranges::count(options.attention, true) == 0) options.attention.front() = true;
  return options;
}

class FConvProperty : public testing::TestWithParam<int> {
 protected:
  FConvProperty() : options_(combination(GetParam())) { make(); }

  void make() {
    model_ = std::make_unique<FConv>(options_, kVocabulary);
    fill_parameters(model_->parameters(), 17, 0.4);
  }

  PlainFConv twin() const { return {options_, plain_parameters(model_->parameters())}; }

  FConvOptions options_;
  std::unique_ptr<FConv> model_;
};

TEST_P(FConvProperty, FeaturesAgreeWithThePlainModel) {
  expect_features_of_the_twin(*model_, twin(), kVocabulary);
}

TEST_P(FConvProperty, EveryParametersGradientAgreesWithDifferencesOfThePlainModel) {
  options_.dropout = 0.2;
  make();
  const Batch batch = random_batch(kVocabulary, 3, 3);
  constexpr uint64_t kSeed = 5;
  const LossSums sums = gradients_of(*model_, batch, {.seed = kSeed}).sums;
  PlainFConv plain = twin();
  plain.slow_keys();
  const auto plain_loss = [&] {
    Tape masks({.seed = kSeed});
    return plain.loss(masks, batch, 0.1).smoothed;
  };
  EXPECT_NEAR(sums.smoothed, plain_loss(), 2e-5 * sums.smoothed);
  expect_gradients_of_the_twin(*model_, plain.parameters(), plain_loss);
}

TEST_P(FConvProperty, StepByStepEqualsTheWholeSentenceWhileBeamsBranch) {
  expect_steps_to_equal_the_whole(*model_, kVocabulary);
}

// A distribution for every layer that attends, and nothing for the others.
TEST_P(FConvProperty, AlignsEveryTargetTokenWithItsOwnSource) {
  const Batch batch = random_batch(kVocabulary, 3, 5);
  const Tensor alignment = model_->alignment(batch);
  const double expected = static_cast<double>(std::ranges::count(options_.attention, true)) /
                          static_cast<double>(options_.attention.size());
  const float* row = alignment.data<float>();
  for (size_t s = 0; s < 3; ++s) {
    const size_t tokens = batch.source.sentence(s).size();
    for (size_t t = 0; t < batch.target_input.sentence(s).size(); ++t, row += tokens) {
      double sum = 0;
      for (size_t i = 0; i < tokens; ++i) sum += double{row[i]};
      EXPECT_NEAR(sum, expected, 1e-5);
    }
  }
  EXPECT_EQ(row, alignment.data<float>() + alignment.elements());
}

INSTANTIATE_TEST_SUITE_P(Settings, FConvProperty, testing::Range(0, 16));

// By hand: one layer of width 1 and window 1 on both sides, one word each. Every normalised weight
// is its length: 1, but 0 for the gates, whose sigmoid is then 1/2, and no bias. With r =
// sqrt(1/2), the source embedding e = 2 and target embedding d = 4:
//   encoder: x = 2, layer (x / 2 + x) r = 3 r, keys z = 3 r, values y = (z + 2) r
//   decoder: h = 4 / 2 = 2, query (2 + 4) r; one source token, so the context is y sqrt(1);
//   (y + 2) r, then (that + 4) r.
TEST(FConv, ComputesATokenByHand) {
  const FConvOptions options{.encoder_layers = {{.width = 1}},
                             .decoder_layers = {{.width = 1}},
                             .attention = {true},
                             .embedding = 1,
                             .features = 1,
                             .positions = false};
  FConv model(options, {.source = 1, .target = 1});
  model.parameters().allocate({});
  for (const Parameter& each : model.parameters().parameters()) {
    Tensor tensor = each.variable.value();
    const std::span<float> values = tensor.values<float>();
    if (each.name.ends_with("weight_v") || each.name.ends_with("weight_g")) {
      std::ranges::fill(values, 1.0f);
    }
    if (each.name.ends_with("convolution.weight_g")) values[1] = 0;
    if (each.name == "encoder.embedding.weight") values[0] = 2;
    if (each.name == "decoder.embedding.weight") values[0] = 4;
  }
  Batch batch;
  batch.source.append(std::vector<int32_t>{0});
  batch.target_input.append(std::vector<int32_t>{0});
  Tape tape({.record = false, .training = false});
  const auto [keys, values] = model.encode(tape, batch.source);
  const double r = std::sqrt(0.5), y = (3 * r + 2) * r;
  EXPECT_NEAR(keys.value().values<float>()[0], 3 * r, 1e-6);
  EXPECT_NEAR(values.value().values<float>()[0], y, 1e-6);
  EXPECT_NEAR(whole_features(model, batch).values<float>()[0], ((y + 2) * r + 4) * r, 1e-6);
  // The same source twice: the mean of two equal values, times sqrt(2).
  batch.source = {};
  batch.source.append(std::vector<int32_t>{0, 0});
  EXPECT_NEAR(whole_features(model, batch).values<float>()[0],
              ((y * std::sqrt(2.0) + 2) * r + 4) * r, 1e-6);
}

// Three floating-point operations of a product forward and backward are six a weight and token.
TEST(FConv, CountsTheFloatingPointOperationsOfAStepByHand) {
  const FConvOptions options{.encoder_layers = {{.width = 4, .kernel = 3}, {.width = 5}},
                             .decoder_layers = {{.width = 6, .kernel = 2}},
                             .attention = {true},
                             .embedding = 2,
                             .features = 3};
  FConv model(options, {.source = 7, .target = 9});
  model.parameters().allocate({});
  Batch batch;
  batch.source.append(std::vector<int32_t>(3));
  batch.target_input.append(std::vector<int32_t>(2));
  batch.target.append(std::vector<int32_t>(2));
  // In, 2 x 4; windows of 3 x 4 to 8; 4 to 10 and the projection 4 to 5; out, 5 x 2.
  const double source = 2 * 4 + 12 * 8 + 4 * 10 + 4 * 5 + 5 * 2;
  // In, 2 x 6; windows of 2 x 6 to 12; query and out, 6 x 2; out, 6 x 3; words, 3 x 9.
  const double target = 2 * 6 + 12 * 12 + 2 * 12 + 6 * 3 + 3 * 9;
  EXPECT_EQ(model.training_flops(batch), 6 * (3 * source + 2 * target + 2 * 6 * 2));
}

// A uniform sum over n inputs of deviation s has the deviation s sqrt(n): sections 3.5 of the
// paper.
TEST(FConv, StartsWithTheDeviationsOfThePaper) {
  const FConvOptions options{.encoder_layers = {{.width = 60, .kernel = 3}},
                             .decoder_layers = {{.width = 60}},
                             .attention = {true},
                             .embedding = 50,
                             .features = 40,
                             .dropout = 0.2};
  FConv model(options, {.source = 100, .target = 100});
  model.parameters().allocate({});
  model.parameters().initialize(3);
  const auto deviation = [&](const char* name) {
    double sum = 0;
    const auto values = model.parameters().find(name).variable.value().values<float>();
    for (const float value : values) sum += double{value} * double{value};
    return std::sqrt(sum / static_cast<double>(values.size()));
  };
  EXPECT_NEAR(deviation("encoder.embedding.weight"), 0.1, 0.005);
  EXPECT_NEAR(deviation("decoder.positions.weight"), 0.1, 0.005);
  EXPECT_NEAR(deviation("encoder.in.weight_v"), std::sqrt(0.8 / 50), 0.005);
  EXPECT_NEAR(deviation("encoder.layers.0.convolution.weight_v"), std::sqrt(4 * 0.8 / 180), 0.005);
  EXPECT_NEAR(deviation("encoder.out.weight_v"), std::sqrt(1.0 / 60), 0.005);
  EXPECT_NEAR(deviation("decoder.layers.0.attention.query.weight_v"), std::sqrt(1.0 / 60), 0.005);
  EXPECT_NEAR(deviation("output.weight_v"), std::sqrt(0.8 / 40), 0.005);
  EXPECT_EQ(deviation("output.bias"), 0);
  // Lengths are the norms of the directions.
  const Tensor direction =
      model.parameters().find("encoder.in.weight_v").variable.value().slice(1, 2);
  double square = 0;
  for (const float value : direction.values<float>()) square += double{value} * double{value};
  EXPECT_NEAR(model.parameters().find("encoder.in.weight_g").variable.value().values<float>()[1],
              std::sqrt(square), 1e-6);
}

std::string refusal(const std::string& preset,
                    const std::vector<std::pair<std::string, std::string>>& changes,
                    const VocabularySizes& vocabulary = kVocabulary) {
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

TEST(FConvSettings, ThatContradictEachOtherAreRefused) {
  const char* preset = "fconv_iwslt_de_en";
  EXPECT_EQ(refusal(preset, {}), "");
  EXPECT_EQ(refusal(preset, {{"model.attention", "1 3"}}), "");
  EXPECT_THAT(refusal(preset, {{"model.attention", "4"}}),
              HasSubstr("'4' is no layer of the decoder; expected 'all' or numbers from 1 to 3"));
  EXPECT_THAT(refusal(preset, {{"model.attention", "first"}}), HasSubstr("'first' is no layer"));
  EXPECT_THAT(refusal(preset, {{"model.attention", ""}}), HasSubstr("names no layer"));
  EXPECT_THAT(refusal(preset, {{"model.share_output", "true"}, {"model.features", "100"}}),
              HasSubstr("needs model.features = 100 to be model.embedding = 256"));
  EXPECT_THAT(refusal(preset, {{"model.encoder_layers", "4*256y3"}}),
              HasSubstr("model.encoder_layers = '4*256y3': 'x' and the tokens of a window is "
                        "expected at 'y3'"));
  EXPECT_THAT(refusal(preset, {}, {.source = 0, .target = 9}),
              HasSubstr("the data set has one language"));
}

int64_t parameter_count(const std::string& preset, const VocabularySizes& vocabulary) {
  return models().get(preset)()->build(vocabulary)->parameters().count();
}

// By hand, with a linear map of n to m as n m + 2 m (weights, lengths, biases). Embedding 256,
// positions 1026, 1000 words; a layer is 768 to 512, an attention 256 to 256 twice.
TEST(FConvPresets, HaveTheSizesComputedByHand) {
  const auto map = [](int64_t inputs, int64_t outputs) { return inputs * outputs + 2 * outputs; };
  const int64_t embeddings = 2 * (1000 + 1026) * 256;
  const int64_t layers = 7 * map(768, 512) + 3 * 2 * map(256, 256);
  EXPECT_EQ(parameter_count("fconv_iwslt_de_en", {.source = 1000, .target = 1000}),
            embeddings + layers + 4 * map(256, 256) + map(256, 1000));
}

// 512 x 9, 1024 x 4, 2048 x 2, with projections where the width changes.
TEST(FConvPresets, OfWmtHaveTheSizesComputedByHand) {
  const auto map = [](int64_t inputs, int64_t outputs) { return inputs * outputs + 2 * outputs; };
  const int64_t stack = 9 * map(3 * 512, 1024) + map(3 * 512, 2048) + map(512, 1024) +
                        3 * map(3 * 1024, 2048) + map(1024, 4096) + map(1024, 2048) +
                        map(2048, 4096);
  const int64_t attentions = 9 * (map(512, 768) + map(768, 512)) +
                             4 * (map(1024, 768) + map(768, 1024)) +
                             2 * (map(2048, 768) + map(768, 2048));
  const int64_t sides = 2 * ((1000 + 1026) * 768 + map(768, 512) + stack);
  EXPECT_EQ(parameter_count("fconv_wmt_en_de", {.source = 1000, .target = 1000}),
            sides + attentions + map(2048, 768) + map(2048, 512) + map(512, 1000));
}

}  // namespace
}  // namespace skein
