#include "skein/decode/score.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "skein/autograd/tape.h"
#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/kernels/top_k.h"

namespace skein {
namespace {

// Logits of more tokens at once take memory and save no time.
constexpr int64_t kRowsAtOnce = 512;

// Adds the log-probability of targets[i] under logits row i.
void add_scores(const Tensor& logits, std::span<const int32_t> targets,
                std::vector<float>& scores) {
  const int64_t columns = logits.columns();
  const size_t first = scores.size();
  scores.resize(first + targets.size());
  parallel_for(static_cast<int64_t>(targets.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto row = logits.values<float>().subspan(static_cast<size_t>(i * columns),
                                                      static_cast<size_t>(columns));
      const auto target = static_cast<size_t>(targets[static_cast<size_t>(i)]);
      scores[first + static_cast<size_t>(i)] = row[target] - kernels::log_sum_exp(row);
    }
  });
}

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
  const Tensor features = model.features(tape, batch).value();
  const OutputProjection output = model.output(tape);
  const std::span<const int32_t> targets(batch.target.tokens);
  std::vector<float> scores;
  for (int64_t begin = 0; begin < features.rows(); begin += kRowsAtOnce) {
    const int64_t end = std::min(features.rows(), begin + kRowsAtOnce);
    const Tensor logits = project(Variable(features.slice(begin, end)), output);
    add_scores(logits,
               targets.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin)),
               scores);
  }
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
