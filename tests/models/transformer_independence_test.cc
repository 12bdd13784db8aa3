// A translation is the same whatever else is in the batch: decoding gives a sentence the same bits
// alone and among others.
#include <gtest/gtest.h>

#include <algorithm>

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
  constexpr int64_t kSentences = 140;
  Random random(1);
  PackedSequences source;
  for (int64_t s = 0; s < kSentences; ++s) {
    source.append(random_tokens(random, random_between(random, 1, 30), kTargetWords));
  }
  std::vector<std::vector<int32_t>> previous;
  std::vector<Tensor> together;
  const auto state = model->start(source, kSentences);
  for (int position = 0; position < 3; ++position) {
    previous.push_back(random_tokens(random, kSentences, kTargetWords));
    together.push_back(model->step(*state, previous.back()));
  }
  for (int64_t s = 0; s < kSentences; s += 9) {
    SCOPED_TRACE(s);
    PackedSequences alone;
    alone.append(source.sentence(static_cast<size_t>(s)));
    const auto alone_state = model->start(alone, 1);
    for (size_t position = 0; position < previous.size(); ++position) {
      const int32_t token = previous[position][static_cast<size_t>(s)];
      const Tensor logits = model->step(*alone_state, std::span(&token, 1));
      EXPECT_TRUE(std::ranges::equal(logits.values<float>(),
                                     together[position].slice(s, s + 1).values<float>()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(TypesAndWidths, TransformerIndependence,
                         testing::Combine(testing::Values(DType::kF32, DType::kBF16),
                                          testing::Values(8, 100, 256)));

}  // namespace
}  // namespace skein
