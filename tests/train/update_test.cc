#include "skein/train/update.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "models/random_batch.h"
#include "skein/base/error.h"
#include "skein/train/options.h"

namespace skein {
namespace {

class Updates : public testing::Test {
 protected:
  Updates() : options_("transformer_tiny") {
    options_.settings().set("model.width", "16");
    options_.settings().set("model.ffn", "16");
    options_.settings().set("model.encoder_layers", "1");
    options_.settings().set("model.decoder_layers", "1");
    model_ = options_.model->build({.source = 20, .target = 20, .shared = true});
    model_->parameters().allocate({.half = false, .gradients = true});
    model_->parameters().initialize(1);
    criterion_ = make_criterion(options_.criterion);
    optimizer_ = make_optimizer(options_.optimizer, flat_parameters(model_->parameters()));
    batches_ = {random_batch({.source = 20, .target = 20, .shared = true}, 8, 5)};
  }

  void set(const std::string& parameter, float value) {
    Tensor values = model_->parameters().find(parameter).variable.value();
    values.data<float>()[0] = value;
  }

  std::string error_of_update(const UpdateOptions& options = {}) {
    Updater updater(*model_, *criterion_, *optimizer_, options);
    try {
      updater.run(batches_, 7, 0.001);
    } catch (const NonFiniteError& error) {
      return error.what();
    }
    return "no error";
  }

  TrainOptions options_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Criterion> criterion_;
  std::unique_ptr<Optimizer> optimizer_;
  std::vector<Batch> batches_;
};

TEST_F(Updates, ANonFiniteParameterIsNamedWithTheUpdate) {
  set("decoder.layers.0.ffn.in.weight", std::numeric_limits<float>::quiet_NaN());
  EXPECT_THAT(error_of_update(),
              testing::StartsWith("parameter decoder.layers.0.ffn.in.weight is not finite "
                                  "before update 7; train anew, "));
}

TEST_F(Updates, AnOverflowIsNamedWithTheFunctionAndItsParameter) {
  // Two huge but finite values; their product with the other layer's output is not.
  set("encoder.layers.0.attention_norm.weight", 1e30f);
  set("encoder.layers.0.ffn.in.weight", 1e30f);
  EXPECT_THAT(error_of_update(), testing::AllOf(testing::StartsWith("the output of linear with "),
                                                testing::HasSubstr("encoder.layers.0.ffn"),
                                                testing::HasSubstr("at update 7")));
}

TEST_F(Updates, ClippingIsAdvisedWhereThereIsNone) {
  set("decoder.layers.0.ffn.in.weight", std::numeric_limits<float>::quiet_NaN());
  EXPECT_THAT(error_of_update({.clip_norm = 0}),
              testing::EndsWith(" or a train.clip_norm, such as 1"));
  EXPECT_THAT(error_of_update({.clip_norm = 3}),
              testing::EndsWith(" or a train.clip_norm below 3"));
}

TEST_F(Updates, ABatchWithoutSentencesCountsAsNothing) {
  Updater updater(*model_, *criterion_, *optimizer_, {});
  const Tensor before = model_->parameters().values().copy();
  const UpdateResult result = updater.run(std::vector<Batch>(2), 1, 0.001);
  EXPECT_EQ(result.sums.tokens, 0);
  EXPECT_TRUE(
      std::ranges::equal(model_->parameters().values().values<float>(), before.values<float>()));
}

}  // namespace
}  // namespace skein
