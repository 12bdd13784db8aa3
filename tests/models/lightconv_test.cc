// LightConv and DynamicConv agree with plain ones in double precision, in values and gradients;
// their presets and what their settings refuse.
#include "skein/models/lightconv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/model_properties.h"
#include "models/plain_lightconv.h"
#include "nn/filled_store.h"
#include "skein/base/error.h"

namespace skein {
namespace {

using testing::HasSubstr;

// 24 combinations of kind, gates, norm, softmax, positions and sharing, with random sizes; every
// third is a language model.
constexpr int kCombinations = 24;

LightConvOptions combination(int number) {
  Random random(static_cast<uint64_t>(number));
  const auto kernels = [&] {
    std::vector<int64_t> result;
    const int64_t count = random_between(random, 1, 3);
    for (int64_t i = 0; i < count; ++i) result.push_back(random_between(random, 1, 6));
    return result;
  };
  const int64_t heads = int64_t{1} << random.below(3);
  LightConvOptions options{.kind = number % 2 == 0 ? "light" : "dynamic",
                           .encoder_kernels = kernels(),
                           .decoder_kernels = kernels(),
                           // A norm of fewer than 4 columns loses most of its digits.
                           .width = heads * (4 / heads + random_between(random, 0, 4)),
                           .ffn = random_between(random, 1, 12),
                           .heads = heads,
                           .glu = number % 4 < 2,
                           .softmax = number % 5 != 0,
                           .norm = number % 8 < 4 ? "post" : "pre",
                           .positions = number % 7 == 0 ? "learned" : "sinusoidal",
                           .max_positions = 9,
                           .dropout = 0,
                           .input_dropout = 0};
  const char* sharing[] = {"none", "output", "all"};
  options.share_embeddings = sharing[random.below(3)];
  if (number % 3 == 0) options.encoder_kernels.clear();
  if (number % 6 == 0) {
    const int64_t first = random_between(random, 1, 4);
    options.bands = WordBands({first, first + random_between(random, 1, 4), 11});
    options.adaptive_input = number % 12 == 0;
    options.share_embeddings = options.adaptive_input ? "output" : "none";
    options.adaptive_factor = 1.5;
  }
  return options;
}

VocabularySizes vocabulary_of(const LightConvOptions& options) {
  if (options.encoder_kernels.empty()) return {.source = 0, .target = 11};
  const bool shared = options.share_embeddings == "all";
  return {.source = shared ? 11 : 13, .target = 11, .shared = shared};
}

class LightConvProperty : public testing::TestWithParam<int> {
 protected:
  LightConvProperty() : options_(combination(GetParam())), vocabulary_(vocabulary_of(options_)) {
    make();
  }

  void make() {
    model_ = std::make_unique<LightConv>(options_, vocabulary_);
    fill_parameters(model_->parameters(), 17, 0.4);
  }

  PlainLightConv twin() const { return {options_, plain_parameters(model_->parameters())}; }

  LightConvOptions options_;
  VocabularySizes vocabulary_;
  std::unique_ptr<LightConv> model_;
};

TEST_P(LightConvProperty, FeaturesAgreeWithThePlainModel) {
  expect_features_of_the_twin(*model_, twin(), vocabulary_);
}

// Every kind of dropout at another probability.
TEST_P(LightConvProperty, EveryParametersGradientAgreesWithDifferencesOfThePlainModel) {
  options_.dropout = 0.2;
  options_.input_dropout = 0.15;
  options_.weight_dropout = 0.3;
  options_.attention_dropout = 0.1;
  options_.activation_dropout = 0.25;
  options_.adaptive_dropout = 0.2;
  make();
  const Batch batch = random_batch(vocabulary_, 3, 3);
  constexpr uint64_t kSeed = 5;
  const LossSums sums = gradients_of(*model_, batch, {.seed = kSeed}).sums;
  PlainLightConv plain = twin();
  const auto plain_loss = [&] {
    Tape masks({.seed = kSeed});
    return plain.loss(masks, batch, 0.1).smoothed;
  };
  EXPECT_NEAR(sums.smoothed, plain_loss(), 2e-5 * sums.smoothed);
  expect_gradients_of_the_twin(*model_, plain.parameters(), plain_loss);
}

TEST_P(LightConvProperty, StepByStepEqualsTheWholeSentenceWhileBeamsBranch) {
  expect_steps_to_equal_the_whole(*model_, vocabulary_);
}

INSTANTIATE_TEST_SUITE_P(Settings, LightConvProperty, testing::Range(0, kCombinations));

// One layer of one head and width 2 without gates, whose maps in and out are the identity and whose
// feed-forward layer gives nothing. The norm before the convolution gives (1, 2) for every token;
// raw weights -10 and 1 look at the token before and the own one. So the words (1, 2) and (3, 4)
// become (1, 2) + (1, 2) = (2, 4) and (3, 4) - 9 (1, 2) = (-6, -14): norms of (-1, 1) and (1, -1),
// times (3, 5).
TEST(LightConv, ConvolvesATokenWithTheOneBeforeByHand) {
  const LightConvOptions options{.encoder_kernels = {},
                                 .decoder_kernels = {2},
                                 .width = 2,
                                 .ffn = 1,
                                 .heads = 1,
                                 .glu = false,
                                 .softmax = false,
                                 .norm = "pre",
                                 .positions = "learned",
                                 .share_embeddings = "output",
                                 .max_positions = 4};
  LightConv model(options, {.source = 0, .target = 2});
  model.parameters().allocate({});
  const auto set = [&](const char* name, const std::vector<float>& values) {
    std::ranges::copy(values, Tensor(model.parameters().find(name).variable.value()).data<float>());
  };
  const float root = std::sqrt(0.5f);
  set("decoder.embedding.weight", {1 * root, 2 * root, 3 * root, 4 * root});
  set("decoder.layers.0.convolution.in.weight", {1, 0, 0, 1});
  set("decoder.layers.0.convolution.out.weight", {1, 0, 0, 1});
  set("decoder.layers.0.convolution.kernel.weight", {-10, 1});
  set("decoder.layers.0.convolution_norm.weight", {0, 0});
  set("decoder.layers.0.convolution_norm.bias", {1, 2});
  set("decoder.norm.weight", {3, 5});
  Batch batch;
  batch.target_input.append(std::vector<int32_t>{0, 1});
  const Tensor features = whole_features(model, batch);
  const float expected[] = {-3, 5, 3, -5};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(features.values<float>()[i], expected[i], 1e-4) << i;
}

std::string refusal(const std::string& preset,
                    const std::vector<std::pair<std::string, std::string>>& changes,
                    const VocabularySizes& vocabulary = {
                        .source = 9, .target = 9, .shared = true}) {
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

TEST(LightConvSettings, ThatContradictEachOtherAreRefused) {
  const char* preset = "lightconv_iwslt_de_en";
  EXPECT_EQ(refusal(preset, {}), "");
  EXPECT_EQ(refusal(preset, {{"model.encoder_kernels", "2*5 7"}}), "");
  for (const char* bad : {"3 7x", "0", "2*", "*3", "0*3", "3,7", "1025", "-3", "3*2*1"}) {
    EXPECT_THAT(refusal(preset, {{"model.encoder_kernels", bad}}),
                HasSubstr("is no window; expected the tokens of each layer's window"))
        << bad;
  }
  EXPECT_THAT(refusal(preset, {{"model.decoder_kernels", "3 1000*7 5"}}),
              HasSubstr("model.decoder_kernels = '3 1000*7 5' has more than 1000 layers"));
  EXPECT_THAT(refusal(preset, {{"model.decoder_kernels", ""}}), HasSubstr("names no layer"));
  EXPECT_THAT(refusal(preset, {{"model.heads", "3"}}),
              HasSubstr("model.width = 512 is not a multiple of model.heads = 3"));
  EXPECT_THAT(refusal(preset, {{"model.kind", "heavy"}}), HasSubstr("'heavy'"));
  EXPECT_THAT(refusal(preset, {}, {.source = 9, .target = 8}),
              HasSubstr("needs one vocabulary for both languages"));
  EXPECT_EQ(refusal(preset, {{"model.share_embeddings", "output"}}, {.source = 9, .target = 8}),
            "");
  EXPECT_THAT(refusal(preset, {}, {.source = 0, .target = 9}),
              HasSubstr("choose a language model (lightconv_lm)"));
  EXPECT_THAT(refusal("dynamicconv_lm", {}), HasSubstr("choose a translation model"));
}

TEST(LightConv, RefusesToEncodeWithoutASource) {
  const auto model = models().get("lightconv_lm")()->build({.source = 0, .target = 9});
  Tape tape({});
  EXPECT_THROW(dynamic_cast<LightConv&>(*model).encode(tape, {}), Error);
}

int64_t parameter_count(const std::string& preset, const VocabularySizes& vocabulary) {
  return models().get(preset)()->build(vocabulary)->parameters().count();
}

// By hand, from the reference's settings; a map of n to m has n m + m numbers. 1000 words in one
// table.
TEST(LightConvPresets, HaveTheSizesComputedByHand) {
  const VocabularySizes both{.source = 1000, .target = 1000, .shared = true};
  const auto map = [](int64_t inputs, int64_t outputs) { return inputs * outputs + outputs; };
  const auto taps = [](int64_t last) { return 3 + 7 + 15 + last * 31; };
  const auto size = [&](int64_t width, int64_t ffn, int64_t heads, int64_t gate, bool dynamic) {
    const int64_t kernels = (taps(4) + taps(3)) * heads * (dynamic ? width : 1);
    const int64_t layer = map(width, gate * width) + map(width, width) + map(width, ffn) +
                          map(ffn, width) + 2 * 2 * width;
    const int64_t cross = 4 * map(width, width) + 2 * width;
    return 1000 * width + kernels + 13 * layer + 6 * cross;
  };
  EXPECT_EQ(parameter_count("lightconv_iwslt_de_en", both), size(512, 1024, 4, 1, false));
  EXPECT_EQ(parameter_count("dynamicconv_iwslt_de_en", both), size(512, 1024, 4, 1, true));
  EXPECT_EQ(parameter_count("lightconv_wmt_en_de", both), size(512, 2048, 8, 2, false));
  EXPECT_EQ(parameter_count("dynamicconv_wmt_en_de", both), size(512, 2048, 8, 2, true));
  for (const char* name : {"wmt_en_de_big", "wmt_en_fr_big", "wmt_zh_en_big"}) {
    EXPECT_EQ(parameter_count(std::string("lightconv_") + name, both),
              size(1024, 4096, 16, 2, false));
    EXPECT_EQ(parameter_count(std::string("dynamicconv_") + name, both),
              size(1024, 4096, 16, 2, true));
  }
  // Pre-norm has one more norm.
  const VocabularySizes one{.source = 0, .target = 1000};
  const auto lm = [&](int64_t ffn, int64_t heads) {
    const int64_t layer =
        map(512, 1024) + map(512, 512) + map(512, ffn) + map(ffn, 512) + 2 * 2 * 512;
    return 1000 * 512 + taps(3) * heads + 6 * layer + 2 * 512;
  };
  EXPECT_EQ(parameter_count("lightconv_lm", one), lm(2048, 8));
  EXPECT_EQ(parameter_count("lightconv_lm_gbw", one), lm(4096, 16));
}

// Six a weight and token, and attention.
TEST(LightConv, CountsTheFloatingPointOperationsOfAStepByHand) {
  const LightConvOptions options{.kind = "dynamic",
                                 .encoder_kernels = {3},
                                 .decoder_kernels = {2},
                                 .width = 4,
                                 .ffn = 5,
                                 .heads = 2,
                                 .share_embeddings = "none"};
  LightConv model(options, {.source = 7, .target = 9});
  model.parameters().allocate({});
  Batch batch;
  batch.source.append(std::vector<int32_t>(3));
  batch.target_input.append(std::vector<int32_t>(2));
  batch.target.append(std::vector<int32_t>(2));
  // Values and gates 4 x 8, out 4 x 4, weights 2 x 3 x 4, window 3 x 4; feed-forward 2 x 4 x 5.
  const double encoder = 32 + 16 + 24 + 12 + 40;
  const double decoder = 32 + 16 + 16 + 8 + 40;
  // Queries and results of the target, keys and values of the source: 4 x 4 each; words 4 x 9.
  const double products = 3 * encoder + 2 * decoder + (2 * 2 + 2 * 3) * 16 + 2 * 36;
  EXPECT_EQ(model.training_flops(batch), 6 * (products + 2 * 2 * 3 * 4));
}

}  // namespace
}  // namespace skein
