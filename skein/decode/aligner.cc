#include "skein/decode/aligner.h"

#include <algorithm>
#include <span>

#include "skein/base/error.h"

namespace skein {
namespace {

// attention: [target tokens, source tokens] of one sentence.
std::vector<int32_t> most_attended(std::span<const float> attention, size_t source_tokens) {
  std::vector<int32_t> tokens;
  for (size_t begin = 0; begin < attention.size(); begin += source_tokens) {
    const auto row = attention.subspan(begin, source_tokens - 1);
    const auto best = std::max_element(row.begin(), row.end());
    tokens.push_back(row.empty() ? -1 : static_cast<int32_t>(best - row.begin()));
  }
  return tokens;
}

}  // namespace

Aligner::Aligner(std::vector<const Model*> models) : models_(std::move(models)) {
  for (const Model* model : models_) {
    if (model->has_alignment()) continue;
    throw UsageError(
        "this model does not tell which source words it attends to, so its translations cannot be "
        "aligned; leave out what needs an alignment, or use another architecture");
  }
}

std::vector<std::vector<int32_t>> Aligner::align(const Batch& batch) const {
  Tensor attention = models_.front()->alignment(batch);
  const std::span<float> sums = attention.values<float>();
  for (size_t i = 1; i < models_.size(); ++i) {
    const Tensor more = models_[i]->alignment(batch);
    std::transform(sums.begin(), sums.end(), more.values<float>().begin(), sums.begin(),
                   std::plus<>());
  }
  std::vector<std::vector<int32_t>> aligned;
  size_t begin = 0;
  for (size_t s = 0; s < batch.source.sentences(); ++s) {
    const size_t source_tokens = batch.source.sentence(s).size();
    const size_t size = source_tokens * batch.target_input.sentence(s).size();
    aligned.push_back(most_attended(sums.subspan(begin, size), source_tokens));
    begin += size;
  }
  return aligned;
}

}  // namespace skein
