#include "skein/decode/batched_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/decode/beam_search.h"
#include "skein/decode/length_batches.h"
#include "skein/decode/workers.h"

namespace skein {

std::vector<std::vector<Hypothesis>> batched_search(
    const ScorerFactory& make_scorer, std::span<const std::span<const int32_t>> sources,
    std::span<const SearchOptions> options, const BatchOptions& batches) {
  if (options.size() != sources.size()) {
    throw UsageError(fmt::format("{} search options for {} sentences; expected one for each",
                                 options.size(), sources.size()));
  }
  if (!batches.sizes.empty() && batches.sizes.size() != sources.size()) {
    throw UsageError(fmt::format("{} sizes for {} sentences; expected one for each",
                                 batches.sizes.size(), sources.size()));
  }
  std::vector<size_t> sizes;
  for (size_t i = 0; i < sources.size(); ++i) {
    const size_t tokens = batches.sizes.empty() ? sources[i].size() : batches.sizes[i];
    sizes.push_back(tokens * static_cast<size_t>(options[i].beam));
  }
  const auto planned = length_batches(
      sizes,
      even_batch_size(sizes, static_cast<size_t>(batches.tokens), static_cast<size_t>(threads())));
  std::vector<std::vector<Hypothesis>> found(sources.size());
  run_workers(planned.size(), [&] {
    return [&, scorer = std::shared_ptr<StepScorer>(make_scorer())](size_t number) {
      PackedSequences source;
      std::vector<SearchOptions> each;
      for (const size_t index : planned[number]) {
        source.append(sources[index]);
        each.push_back(options[index]);
      }
      auto results = beam_search(*scorer, source, each);
      for (size_t i = 0; i < results.size(); ++i) {
        results[i].resize(std::min(results[i].size(), static_cast<size_t>(batches.n_best)));
        found[planned[number][i]] = std::move(results[i]);
      }
    };
  });
  return found;
}

}  // namespace skein
