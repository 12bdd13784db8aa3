#include "skein/parallel/batch_share.h"

#include <cstdint>

namespace skein {
namespace {

int64_t tokens_of(const Batch& batch, size_t sentence) {
  const auto length = [sentence](const PackedSequences& side) {
    return side.sentences() == 0 ? int64_t{0}
                                 : static_cast<int64_t>(side.sentence(sentence).size());
  };
  return length(batch.source) + length(batch.target);
}

int64_t tokens_of(std::span<const Batch> batches) {
  int64_t tokens = 0;
  for (const Batch& batch : batches) {
    tokens += static_cast<int64_t>(batch.source.tokens.size() + batch.target.tokens.size());
  }
  return tokens;
}

void append(const Batch& from, size_t sentence, Batch& to) {
  if (from.source.sentences() > 0) to.source.append(from.source.sentence(sentence));
  to.target_input.append(from.target_input.sentence(sentence));
  to.target.append(from.target.sentence(sentence));
  to.sample_ids.push_back(from.sample_ids[sentence]);
}

Batch no_sentences() {
  Batch batch;
  for (PackedSequences* side : {&batch.source, &batch.target_input, &batch.target}) {
    side->offsets.push_back(0);
  }
  return batch;
}

}  // namespace

std::vector<Batch> share_of(std::span<const Batch> batches, int rank, int size) {
  const int64_t all = tokens_of(batches);
  std::vector<Batch> share;
  int64_t before = 0;
  for (const Batch& batch : batches) {
    Batch part = no_sentences();
    for (size_t sentence = 0; sentence < batch.target.sentences(); ++sentence) {
      const int64_t tokens = tokens_of(batch, sentence);
      // Where the middle of the sentence lies.
      const int64_t owner = (2 * before + tokens) * size / (2 * all);
      if (owner == rank) append(batch, sentence, part);
      before += tokens;
    }
    if (!part.sample_ids.empty()) share.push_back(std::move(part));
  }
  return share;
}

}  // namespace skein
