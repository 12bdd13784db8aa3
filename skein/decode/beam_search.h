// The search of many sentences together, by whatever strategy their options ask for. A sentence's
// hypotheses do not depend on which others are in the batch, nor on their options; a finished
// sentence leaves the batch at once.
#pragma once

#include <span>
#include <vector>

#include "skein/data/batch.h"
#include "skein/decode/hypothesis.h"
#include "skein/decode/scorer.h"

namespace skein {

// source: sentences that end in eos. options: one a sentence. Returns for every sentence its
// finished hypotheses, best first: at most `beam`, and at least one unless no hypothesis could meet
// its constraints. Throws UsageError for an option out of range, NonFiniteError if the scorer gives
// NaN or infinity.
std::vector<std::vector<Hypothesis>> beam_search(StepScorer& scorer, const PackedSequences& source,
                                                 std::span<const SearchOptions> options);

// The same options for all sentences.
std::vector<std::vector<Hypothesis>> beam_search(StepScorer& scorer, const PackedSequences& source,
                                                 const SearchOptions& options);

}  // namespace skein
