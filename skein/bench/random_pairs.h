// Random sentences with lengths as of a real corpus, for measurements without data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "skein/data/batch.h"

namespace skein {

struct TokenPair {
  std::vector<int32_t> source;  // both without the end symbol
  std::vector<int32_t> target;
};

// Words are uniform over the vocabulary. Lengths follow Multi30k's (en-de, 10k joint BPE):
// log-normal, means 14.0 and 14.4, deviations of the logarithm 0.313 and 0.348, correlation 0.856.
// Throws UsageError for a vocabulary of special tokens only.
std::vector<TokenPair> random_pairs(int64_t count, int64_t vocabulary, uint64_t seed);

struct RandomBatches {
  int64_t count = 8;
  int64_t vocabulary = 10000;
  int64_t max_tokens = 4096;  // of source, and of target, a batch; end symbols count
  uint64_t seed = 1;
};
// Such sentences as training has them: those of similar length share a batch, and the batches are
// spread over all lengths. Throws UsageError as above, for less than one batch, and if max_tokens
// is less than a sentence has.
std::vector<Batch> random_batches(const RandomBatches& options);

// JSON lines for benchmarks of other systems, without end symbols: a line a batch, {"source":
// [[ids]...], "target": [[ids]...]}; and a line a pair, {"source": [ids], "target": [ids]}.
void write_batches(std::span<const Batch> batches, const std::filesystem::path& path);
void write_pairs(std::span<const TokenPair> pairs, const std::filesystem::path& path);

}  // namespace skein
