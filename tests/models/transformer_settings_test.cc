// What the Transformer refuses, its presets' sizes, and its smallest examples.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "models/random_transformer.h"
#include "skein/base/error.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr VocabularySizes kShared{.source = 37000, .target = 37000, .shared = true};

int64_t parameter_count(const std::string& preset, const VocabularySizes& vocabulary) {
  return models().get(preset)()->build(vocabulary)->parameters().count();
}

// By hand. An attention has 4 (w w + w) parameters, a feed-forward layer 2 w f + f + w, a norm 2 w;
// an encoder layer is an attention, a feed-forward layer and two norms, a decoder layer two
// attentions, a feed-forward layer and three norms; the shared embedding has 37000 w.
TEST(TransformerPresets, HaveTheSizesComputedByHand) {
  // w 512, f 2048: encoder layer 3152384, decoder layer 4204032, six of each.
  EXPECT_EQ(parameter_count("transformer_base", kShared), 44138496 + 37000 * 512);
  // w 1024, f 4096: 12596224 and 16796672, six of each.
  EXPECT_EQ(parameter_count("transformer_big", kShared), 176357376 + 37000 * 1024);
  // w 128, f 256: 132480 and 198784, four of each.
  EXPECT_EQ(parameter_count("transformer_tiny", kShared), 1325056 + 37000 * 128);
  // w 256, f 1024: 789760 and 1053440, three of each.
  EXPECT_EQ(parameter_count("transformer_small", kShared), 5529600 + 37000 * 256);
  // w 512, f 1024: 2102784 and 3154432, six of each.
  EXPECT_EQ(parameter_count("transformer_iwslt", kShared), 31543296 + 37000 * 512);
}

// Vaswani et al. 2017, table 3, 37000 shared words: 65 and 213 million.
TEST(TransformerPresets, HaveThePublishedSizes) {
  EXPECT_NEAR(static_cast<double>(parameter_count("transformer_base", kShared)), 65e6, 3e6);
  EXPECT_NEAR(static_cast<double>(parameter_count("transformer_big", kShared)), 213e6, 3e6);
}

// w 128, f 256, pre-norm: a layer is an attention (66048), a feed-forward layer (65920) and two
// norms (512); one norm more at the end.
TEST(TransformerPresets, LanguageModelsHaveNoSource) {
  const VocabularySizes vocabulary{.source = 0, .target = 1000};
  EXPECT_EQ(parameter_count("transformer_lm_tiny", vocabulary), 4 * 132480 + 256 + 1000 * 128);
  EXPECT_FALSE(models().get("transformer_lm_base")()->build(vocabulary)->has_source());
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

TEST(TransformerSettings, ThatContradictEachOtherAreRefused) {
  EXPECT_EQ(refusal("transformer_tiny", {}, kShared), "");
  EXPECT_THAT(refusal("transformer_tiny", {{"model.heads", "3"}}, kShared),
              HasSubstr("model.width = 128 is not a multiple of model.heads = 3"));
  const VocabularySizes separate{.source = 10, .target = 20, .shared = false};
  EXPECT_THAT(refusal("transformer_tiny", {}, separate),
              HasSubstr("needs one vocabulary for both languages"));
  EXPECT_EQ(refusal("transformer_tiny", {{"model.share_embeddings", "output"}}, separate), "");
  EXPECT_THAT(refusal("transformer_lm_tiny", {}, kShared), HasSubstr("is a language model"));
  EXPECT_THAT(refusal("transformer_tiny", {}, {.source = 0, .target = 20}),
              HasSubstr("the data set has one language"));
}

TEST(TransformerSettings, OutOfRangeAreRefused) {
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"model.decoder_layers", "0"},
                                                        {"model.heads", "0"},
                                                        {"model.dropout", "1"},
                                                        {"model.norm", "sandwich"},
                                                        {"model.activation", "tanh"},
                                                        {"model.positions", "rotary"},
                                                        {"model.share_embeddings", "some"},
                                                        {"model.max_positions", "0"},
                                                        {"model.widht", "128"}}) {
    EXPECT_NE(refusal("transformer_tiny", {{name, value}}, kShared), "") << name << " " << value;
  }
}

TEST(Transformer, RefusesASentenceBeyondItsLongest) {
  const TransformerOptions options = transformer_combination(0);  // at most 9 tokens
  const auto model = random_transformer(options);
  Batch batch;
  batch.source.append(std::vector<int32_t>(9));
  batch.source.append(std::vector<int32_t>(10));
  batch.target_input.append(std::vector<int32_t>(2));
  batch.target_input.append(std::vector<int32_t>(2));
  Tape tape({.record = false, .training = false});
  EXPECT_THAT(
      [&] { model->features(tape, batch); },
      ThrowsMessage<ShapeError>(HasSubstr("source sentence 2 of the batch has 10 tokens; the "
                                          "model takes at most 9 (model.max_positions)")));
  EXPECT_THROW(model->start(batch.source, 2), ShapeError);
}

TEST(Transformer, RefusesSidesThatDiffer) {
  const auto model = random_transformer(transformer_combination(0));
  Batch batch = random_batch(transformer_combination(0), 2, 1);
  batch.source.append(std::vector<int32_t>(1));
  Tape tape({.record = false, .training = false});
  EXPECT_THROW(model->features(tape, batch), ShapeError);
  EXPECT_THROW(model->start(batch.source, 2), ShapeError);
}

TEST(Transformer, ALanguageModelHasNothingToEncodeOrAlign) {
  const TransformerOptions options = transformer_combination(1);
  const auto model = random_transformer(options);
  Tape tape({.record = false});
  EXPECT_THROW(model->encode(tape, random_batch(transformer_combination(0), 1, 1).source), Error);
  EXPECT_THROW(model->alignment(random_batch(options, 1, 1)), Error);
}

// With all layers' weights zero, the post-norm Transformer normalises its embedding; a row of two
// columns becomes (1, -1) or (-1, 1). sqrt 2 (3, 1) + (sin 2, cos 2) = (5.15, 1.00) and
// sqrt 2 (0, 1) + (sin 3, cos 3) = (0.14, 0.42).
TEST(Transformer, NormalisesItsEmbeddingWhereLayersAreZero) {
  const TransformerOptions options{.encoder_layers = 0,
                                   .decoder_layers = 1,
                                   .width = 2,
                                   .ffn = 2,
                                   .heads = 1,
                                   .share_embeddings = "output",
                                   .max_positions = 4};
  Transformer model(options, {.source = 0, .target = 2});
  model.parameters().allocate({});
  model.parameters().initialize(1);
  for (const Parameter& each : model.parameters().parameters()) {
    Tensor values = each.variable.value();
    if (!each.name.ends_with("norm.weight")) values.fill_zero();
    if (each.name != "decoder.embedding.weight") continue;
    std::ranges::copy(std::vector<float>{3, 1, 0, 1}, values.data<float>());
  }
  Batch batch;
  batch.target_input.append(std::vector<int32_t>{0, 1});
  Tape tape({.record = false, .training = false});
  const Tensor features = model.features(tape, batch).value();
  const float expected[] = {1, -1, -1, 1};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(features.values<float>()[i], expected[i], 1e-3);
}

// One layer of width 2, a source of 3 tokens and a target of 2: 6 operations a weight and token,
// 2 forwards and 4 backwards, and the two products of attention over the pairs of tokens seen.
TEST(Transformer, CountsTheFloatingPointOperationsOfAStepByHand) {
  const TransformerOptions options{
      .encoder_layers = 1, .decoder_layers = 1, .width = 2, .ffn = 5, .heads = 1};
  Transformer model(options, {.source = 7, .target = 7, .shared = true});
  model.parameters().allocate({});
  Batch batch;
  batch.source.append(std::vector<int32_t>(3));
  batch.target_input.append(std::vector<int32_t>(2));
  batch.target.append(std::vector<int32_t>(2));
  // Encoder: 3 tokens x (4 x 4 + 2 x 2 x 5); decoder: 2 x (16 + 20), queries and outputs of the
  // cross attention 2 x 2 x 4, its keys and values 3 x 2 x 4; projection 2 x 2 x 7.
  const double products = 3 * 36 + 2 * 36 + 16 + 24 + 28;
  const double pairs = 9 + 3 + 6;
  EXPECT_EQ(model.training_flops(batch), 6 * (products + 2 * pairs * 2));
}

}  // namespace
}  // namespace skein
