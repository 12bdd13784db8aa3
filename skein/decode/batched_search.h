// The search of any number of sentences: batches of similar length, searched by as many workers as
// there are threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "skein/decode/hypothesis.h"
#include "skein/decode/scorer.h"

namespace skein {

// Makes a scorer; each worker has its own.
using ScorerFactory = std::function<std::unique_ptr<StepScorer>()>;

struct BatchOptions {
  // Most tokens, those of the sources, times beam of a batch; a longer sentence is a batch of its
  // own. Fewer where else a worker would have nothing to do (even_batch_size()).
  int64_t tokens = 4096;
  int64_t n_best = 1;  // hypotheses kept of a sentence
  // Tokens that each sentence counts as, where those of its source do not tell the work.
  std::span<const size_t> sizes = {};
};

// sources: sentences that end in eos. options: one a sentence. Returns for every sentence its best
// hypotheses, best first, at most n_best, and at least one unless none could meet the sentence's
// constraints. A sentence's do not depend on the others nor on the number of threads. Throws
// UsageError if sources, options and sizes differ in number, and what beam_search() throws.
std::vector<std::vector<Hypothesis>> batched_search(
    const ScorerFactory& make_scorer, std::span<const std::span<const int32_t>> sources,
    std::span<const SearchOptions> options, const BatchOptions& batches);

}  // namespace skein
