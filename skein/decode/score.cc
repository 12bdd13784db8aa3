#include "skein/decode/score.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "skein/autograd/tape.h"
#include "skein/base/error.h"

namespace skein {
namespace {

void require_numbers(const std::vector<float>& scores) {
  if (std::all_of(scores.begin(), scores.end(), [](float each) { return std::isfinite(each); }))
    return;
  throw NonFiniteError(
      "the model's scores hold NaN or infinity; expected numbers: its parameters are damaged or "
      "training diverged");
}

}  // namespace

std::vector<SentenceScore> score_batch(const Model& model, const Batch& batch) {
  Tape tape({.record = false, .training = false, .activations = model.inference_type()});
  const Variable features = model.features(tape, batch);
  const std::vector<float> scores =
      target_log_probabilities(features, model.output(tape), batch.target.tokens);
  require_numbers(scores);
  std::vector<SentenceScore> result(batch.target.sentences());
  size_t next = 0;
  for (size_t i = 0; i < result.size(); ++i) {
    for (size_t t = 0; t < batch.target.sentence(i).size(); ++t, ++next) {
      result[i].token_scores.push_back(scores[next]);
      result[i].log_probability += scores[next];
    }
  }
  return result;
}

}  // namespace skein
