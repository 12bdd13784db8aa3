// Tables by hand, and searches in them.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "decode/table_scorer.h"
#include "skein/decode/beam_search.h"
#include "skein/text/vocabulary.h"

namespace skein {

struct Edge {
  int64_t step;
  int32_t previous;
  int32_t next;
  double probability;
};

// A table of one sentence where only the given continuations are possible.
inline Table table_of(int64_t steps, int64_t vocabulary, const std::vector<Edge>& edges) {
  Table table{.steps = steps, .vocabulary = vocabulary, .values = {}};
  table.values.assign(static_cast<size_t>(steps * vocabulary * vocabulary), -50.0F);
  for (const Edge& edge : edges) {
    const int64_t row = edge.step * vocabulary + edge.previous;
    table.values[static_cast<size_t>(row * vocabulary + edge.next)] =
        static_cast<float>(std::log(edge.probability));
  }
  return table;
}

inline std::vector<Hypothesis> search_one(Table table, const SearchOptions& options) {
  TableScorer scorer(std::move(table));
  return beam_search(scorer, table_sources(std::vector{0}), options).front();
}

struct ScoredTokens {
  std::vector<int32_t> tokens;
  double sum = 0;
};

// Appends every hypothesis of at most `words` words and eos that begins as `begun`.
inline void enumerate(const Table& table, int64_t words, const ScoredTokens& begun,
                      std::vector<ScoredTokens>& all) {
  const auto step = static_cast<int64_t>(begun.tokens.size());
  const auto row = table.row(0, step, begun.tokens.empty() ? kEosId : begun.tokens.back());
  for (int32_t token = 0; token < table.vocabulary; ++token) {
    if (token == kPadId || (step == words && token != kEosId)) continue;
    ScoredTokens longer = begun;
    longer.tokens.push_back(token);
    longer.sum += row[static_cast<size_t>(token)];
    if (token == kEosId) {
      all.push_back(std::move(longer));
    } else {
      enumerate(table, words, longer, all);
    }
  }
}

}  // namespace skein
