// A translation is the same whatever else is in the batch: decoding gives a sentence the same bits
// alone and among others.
#include <gtest/gtest.h>

#include "models/model_properties.h"
#include "models/random_transformer.h"

namespace skein {
namespace {

class TransformerIndependence : public testing::TestWithParam<std::tuple<DType, int64_t>> {};

TEST_P(TransformerIndependence, StepsOfASentenceAreTheSameBitsAloneAndAmongOthers) {
  const auto [type, width] = GetParam();
  const TransformerOptions options{.encoder_layers = 2,
                                   .decoder_layers = 2,
                                   .width = width,
                                   .ffn = 8 * width,
                                   .heads = 4,
                                   .max_positions = 40};
  const auto model = random_transformer(options);
  model->set_inference_type(type);
  model->parameters().freeze();
  expect_steps_to_be_independent(*model, vocabulary_of(options), 140, 30);
}

INSTANTIATE_TEST_SUITE_P(TypesAndWidths, TransformerIndependence,
                         testing::Combine(testing::Values(DType::kF32, DType::kBF16),
                                          testing::Values(8, 100, 256)));

}  // namespace
}  // namespace skein
