// What holds for every registered model.
#include <gtest/gtest.h>

#include "models/model_properties.h"
#include "models/small_models.h"
#include "skein/models/registry.h"

namespace skein {
namespace {

class EveryModel : public testing::TestWithParam<std::string> {
 protected:
  EveryModel() : small_(small_model(GetParam())) {}

  Model& model() { return *small_.model; }
  const VocabularySizes& vocabulary() const { return small_.vocabulary; }

 private:
  SmallModel small_;
};

// Checks of data and commands ask the configuration, before there is a model.
TEST_P(EveryModel, HasASourceIfItsConfigurationSaysSo) {
  EXPECT_EQ(models().get(GetParam())()->has_source(), model().has_source());
}

TEST_P(EveryModel, GivesASentenceInABatchWhatItGetsAlone) {
  expect_sentences_as_alone(model(), vocabulary());
}

TEST_P(EveryModel, DoesNotDependOnTheOrderOfSentences) {
  expect_order_to_change_nothing(model(), vocabulary());
}

TEST_P(EveryModel, StepByStepEqualsTheWholeSentenceWhileBeamsBranch) {
  expect_steps_to_equal_the_whole(model(), vocabulary());
}

// Frozen parameters take other ways through the products.
TEST_P(EveryModel, StepByStepEqualsTheWholeSentenceWhenFrozen) {
  model().parameters().freeze();
  expect_steps_to_equal_the_whole(model(), vocabulary());
}

TEST_P(EveryModel, GivesTheStepsOfASentenceTheSameBitsAloneAndAmongOthers) {
  for (const DType type : {DType::kF32, DType::kBF16}) {
    const SmallModel small = small_model(GetParam());
    small.model->set_inference_type(type);
    small.model->parameters().freeze();
    expect_steps_to_be_independent(*small.model, vocabulary(), 70, kLongest);
  }
}

TEST_P(EveryModel, ReadsSeveralTokensAsItStepsToTheBit) {
  for (const DType type : {DType::kF32, DType::kBF16}) {
    const SmallModel small = small_model(GetParam());
    small.model->set_inference_type(type);
    small.model->parameters().freeze();
    expect_reading_to_equal_steps(*small.model, vocabulary());
  }
}

TEST_P(EveryModel, StaysNearFloat32InBfloat16) {
  expect_bfloat16_near_float32(model(), vocabulary());
}

TEST_P(EveryModel, GivesTheSameGradientsInTwoStagesToTheBit) {
  const SmallModel small = small_model(GetParam(), {{"dropout", "0.2"}});
  const Batch batch = random_batch(vocabulary(), 3, 1);
  using enum Gradients::Stages;
  EXPECT_EQ(gradients_of(*small.model, batch, {.seed = 1}, kTwo).values,
            gradients_of(*small.model, batch, {.seed = 1}, kOne).values);
}

TEST_P(EveryModel, DropsWhatTheSeedSays) {
  expect_dropout_to_follow_the_seed(*small_model(GetParam(), {{"dropout", "0.2"}}).model,
                                    vocabulary());
}

TEST_P(EveryModel, MakesNothingOfABatchWithoutSentences) {
  expect_nothing_of_an_empty_batch(model());
}

TEST_P(EveryModel, RefusesRowsAndTokensThatAreNotThere) {
  expect_refusal_of_what_is_not_there(model(), vocabulary());
}

TEST_P(EveryModel, RefusesSentencesBeyondItsLongest) {
  ASSERT_EQ(model().max_target_length(), kLongest);
  expect_refusal_of_long_sentences(model(), vocabulary());
}

TEST_P(EveryModel, TellsItsVocabulary) {
  EXPECT_EQ(model().vocabulary(), vocabulary().target);
  EXPECT_EQ(whole_logits(model(), random_batch(vocabulary(), 1, 1)).columns(), vocabulary().target);
}

TEST_P(EveryModel, ScoresTargetsByTheirLogProbabilities) {
  expect_scores_to_be_the_log_probabilities(model(), vocabulary());
}

INSTANTIATE_TEST_SUITE_P(Presets, EveryModel, testing::ValuesIn(models().names()),
                         [](const auto& info) { return info.param; });

TEST(EveryModel, HasAFamilyInTheseTests) {
  for (const std::string& name : models().names()) EXPECT_NE(family_of(name), nullptr) << name;
}

}  // namespace
}  // namespace skein
