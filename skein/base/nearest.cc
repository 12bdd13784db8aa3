#include "skein/base/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "skein/base/error.h"

namespace skein {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitution = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  std::string best;
  size_t best_distance = (name.size() + 1) / 2 + 1;
  for (const std::string& candidate : candidates) {
    const size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

size_t require_name(std::string_view what, std::string_view name,
                    std::span<const std::string_view> known) {
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i] == name) return i;
  }
  const std::string nearest =
      nearest_name(name, std::vector<std::string>(known.begin(), known.end()));
  throw UsageError(fmt::format("there is no {} '{}'{} (known: {})", what, name,
                               nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest),
                               fmt::join(known, " ")));
}

}  // namespace skein
