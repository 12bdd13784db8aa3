#include "skein/decode/batched_scores.h"

#include <algorithm>
#include <utility>

#include "skein/decode/length_batches.h"
#include "skein/decode/workers.h"

namespace skein {
namespace {

void append(const ScoreRequest& request, Batch& batch) {
  std::vector<int32_t> input = {request.before};
  input.insert(input.end(), request.target.begin(), request.target.end() - 1);
  if (!request.source.empty()) batch.source.append(request.source);
  batch.target_input.append(input);
  batch.target.append(request.target);
}

}  // namespace

std::vector<SentenceScore> batched_scores(const Model& model,
                                          std::span<const ScoreRequest> requests,
                                          int64_t batch_tokens) {
  std::vector<size_t> lengths;
  for (const ScoreRequest& request : requests) {
    lengths.push_back(std::max(request.source.size(), request.target.size()));
  }
  const auto planned = length_batches(lengths, static_cast<size_t>(batch_tokens));
  std::vector<SentenceScore> scores(requests.size());
  run_workers(planned.size(), [&] {
    return [&](size_t number) {
      Batch batch;
      for (const size_t index : planned[number]) append(requests[index], batch);
      std::vector<SentenceScore> found = score_batch(model, batch);
      for (size_t i = 0; i < found.size(); ++i) scores[planned[number][i]] = std::move(found[i]);
    };
  });
  return scores;
}

}  // namespace skein
