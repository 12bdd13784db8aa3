#include "skein/decode/search_strategy.h"

#include <algorithm>
#include <utility>

#include "skein/decode/beam_strategy.h"
#include "skein/decode/constrained_strategy.h"
#include "skein/decode/diverse_strategy.h"
#include "skein/decode/sampling_strategy.h"

namespace skein {

std::unique_ptr<SearchStrategy> make_search_strategy(const SearchOptions& options) {
  if (options.sampling) return std::make_unique<SamplingStrategy>(options);
  if (!options.constraints.empty()) return std::make_unique<ConstrainedStrategy>(options);
  if (options.diversity.groups > 1) return std::make_unique<DiverseStrategy>(options);
  return std::make_unique<BeamStrategy>(options);
}

void keep_best(size_t count, std::vector<Candidate>& candidates) {
  const size_t kept = std::min(candidates.size(), count);
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(kept),
                    candidates.end(), [](const Candidate& a, const Candidate& b) {
                      if (a.sum != b.sum) return a.sum > b.sum;
                      return std::pair(a.row, a.token) < std::pair(b.row, b.token);
                    });
  candidates.resize(kept);
}

}  // namespace skein
