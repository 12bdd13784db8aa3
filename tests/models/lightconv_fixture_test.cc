// LightConv and DynamicConv against parameters, outputs, losses and gradients of the published
// reference implementation.
#include <gtest/gtest.h>

#include "models/model_properties.h"
#include "models/transformer_fixture.h"
#include "skein/kernels/cross_entropy.h"
#include "skein/models/lightconv.h"

namespace skein {
namespace {

// The reference's parameters that are stacked, in order, in one of ours; `kind` is "param." or
// "grad.".
std::vector<std::string> lightconv_reference_names(std::string name, const std::string& kind,
                                                   bool dynamic) {
  const bool encoder = name.starts_with("encoder.");
  const auto replace = [&name](const std::string& from, const std::string& to) {
    const size_t at = name.find(from);
    if (at != std::string::npos) name.replace(at, from.size(), to);
  };
  replace(".convolution.in.", ".linear1.");
  replace(".convolution.out.", ".linear2.");
  replace(".convolution.kernel.", dynamic ? ".conv.weight_linear." : ".conv.");
  replace(".convolution_norm.", encoder ? ".layer_norm1." : ".conv_layer_norm.");
  if (encoder) replace(".ffn_norm.", ".layer_norm2.");
  return reference_names(name, kind);
}

class LightConvFixture : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!shared_available("fixtures"))
      GTEST_SKIP() << "the reference values are not beside the checkout";
    fixture_ = std::make_unique<Fixture>(GetParam());
    make_model();
  }

  const nlohmann::json& hyper() const { return fixture_->meta.at("hyper"); }
  bool dynamic() const { return hyper().at("conv_type") == "dynamic"; }

  LightConvOptions options() const {
    const bool shared = hyper().at("share_decoder_input_output_embed").get<bool>();
    return {.kind = dynamic() ? "dynamic" : "light",
            .encoder_kernels = hyper().at("kernels").get<std::vector<int64_t>>(),
            .decoder_kernels = hyper().at("kernels").get<std::vector<int64_t>>(),
            .width = hyper().at("embed_dim"),
            .ffn = hyper().at("ffn_dim"),
            .heads = hyper().at("heads"),
            .glu = hyper().at("encoder_glu"),
            .softmax = hyper().at("weight_softmax"),
            .norm = hyper().at("encoder_normalize_before").get<bool>() ? "pre" : "post",
            .share_embeddings = shared ? "output" : "none",
            .max_positions = 30,
            .dropout = 0,
            .input_dropout = 0};
  }

  void make_model() {
    model_ = std::make_unique<LightConv>(options(),
                                         VocabularySizes{.source = hyper().at("source_vocab"),
                                                         .target = hyper().at("target_vocab")});
    model_->parameters().allocate({.half = false, .gradients = true});
    for (const Parameter& each : model_->parameters().parameters()) {
      const std::vector<float> values = reference(each.name, "param.");
      Tensor target = each.variable.value();
      ASSERT_EQ(values.size(), target.values<float>().size()) << each.name;
      std::ranges::copy(values, target.data<float>());
    }
  }

  std::vector<float> reference(const std::string& name, const std::string& kind) const {
    std::vector<float> all;
    for (const std::string& part : lightconv_reference_names(name, kind, dynamic())) {
      const std::vector<float> values = fixture_->floats(part);
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }

  void expect_reference(std::span<const float> actual, const std::string& name,
                        double tolerance = kForward) const {
    const std::vector<float> expected = fixture_->floats(name);
    expect_near<float>(actual, std::span<const float>(expected), tolerance, name);
  }

  Loss loss(Tape& tape, const Batch& batch) const {
    return cross_entropy(tape, model_->features(tape, batch), model_->output(tape),
                         batch.target.tokens, 0.1);
  }

  void expect_losses(const LossSums& sums, const std::string& name) const {
    const std::vector<float> expected = fixture_->floats(name);
    EXPECT_NEAR(sums.smoothed, expected[0], kForward * expected[0]);
    EXPECT_NEAR(sums.plain, expected[1], kForward * expected[1]);
  }

  std::vector<float> stepwise_logits(const Batch& batch) const {
    const auto state = model_->start(batch.source, 1);
    std::vector<float> logits;
    for (const int32_t token : batch.target_input.tokens) {
      const Tensor row = model_->step(*state, std::span(&token, 1));
      logits.insert(logits.end(), row.values<float>().begin(), row.values<float>().end());
    }
    return logits;
  }

  std::unique_ptr<Fixture> fixture_;
  std::unique_ptr<LightConv> model_;
};

TEST_P(LightConvFixture, EncoderLogitsAttentionAndLossAgreeForEverySentence) {
  for (int s = 0; s < 3; ++s) {
    const std::string prefix = "s" + std::to_string(s) + ".";
    const Batch batch = fixture_batch(*fixture_, s, s + 1);
    Tape tape({.record = false, .training = false});
    expect_reference(model_->encode(tape, batch.source).value().values<float>(),
                     prefix + "enc_out");
    Tensor logits = whole_logits(*model_, batch);
    expect_reference(logits.values<float>(), prefix + "logits");
    kernels::log_softmax(logits, logits);
    expect_reference(logits.values<float>(), prefix + "lprobs");
    expect_reference(model_->alignment(batch).values<float>(), prefix + "attn");
    expect_losses(loss(tape, batch).sums, prefix + "loss");
  }
}

TEST_P(LightConvFixture, ConvolutionsAloneAgree) {
  const auto tensor = [&](const std::string& name) {
    const std::vector<int64_t> shape = fixture_->shape(name);
    return Tensor::from<float>(fixture_->floats(name), {shape[0], shape[1]});
  };
  const LightConvolutionOptions how = {.heads = options().heads, .softmax = options().softmax};
  for (const std::string side : {"enc", "dec"}) {
    for (size_t layer = 0; layer < 2; ++layer) {
      const std::string name = "s0." + side + "_conv" + std::to_string(layer);
      const int64_t width = options().encoder_kernels[layer];
      const Variable x(tensor(name + ".in"));
      const std::vector<int32_t> offsets = {0, static_cast<int32_t>(x.value().rows())};
      const kernels::Window window{offsets, width, side == "enc" ? width / 2 : width - 1};
      const Variable kernel =
          model_->parameters()
              .find(side + "oder.layers." + std::to_string(layer) + ".convolution.kernel.weight")
              .variable;
      Tape tape({.record = false});
      const Variable y =
          dynamic() ? dynamic_convolution(tape, x, linear(tape, x, kernel, Variable()), window, how)
                    : light_convolution(tape, x, kernel, window, how);
      expect_reference(y.value().values<float>(), name + ".out");
    }
  }
}

TEST_P(LightConvFixture, LossAndEveryGradientOfTheBatchAgree) {
  const Batch batch = fixture_batch(*fixture_, 0, 3);
  Tape tape({});
  const Loss result = loss(tape, batch);
  expect_losses(result.sums, "total.loss");
  tape.backward(result.variable);
  for (const Parameter& each : model_->parameters().parameters()) {
    const std::vector<float> expected = reference(each.name, "grad.");
    expect_near<float>(each.variable.gradient()->tensor().values<float>(),
                       std::span<const float>(expected), kGradient, each.name);
  }
}

TEST_P(LightConvFixture, StepByStepEqualsTheWholeSentence) {
  for (int s = 0; s < 3; ++s) {
    expect_reference(stepwise_logits(fixture_batch(*fixture_, s, s + 1)),
                     "s" + std::to_string(s) + ".logits");
  }
}

// Shorter than a window: all of a window's weights share the softmax, as in longer sentences. The
// reference does that step by step; whole, it first drops the weights that no token can use.
TEST_P(LightConvFixture, AShortSentenceAgreesWithTheReferenceStepByStep) {
  Batch batch;
  batch.source.append(token_ids(*fixture_, "short.src"));
  batch.target_input.append(token_ids(*fixture_, "short.prev"));
  expect_reference(whole_logits(*model_, batch).values<float>(), "short.logits_incremental");
  expect_reference(stepwise_logits(batch), "short.logits_incremental");
}

INSTANTIATE_TEST_SUITE_P(Reference, LightConvFixture,
                         testing::Values("lightconv_glu", "lightconv_noglu_prenorm",
                                         "dynamicconv_glu", "dynamicconv_noglu_prenorm"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace skein
