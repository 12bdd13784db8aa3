#include "skein/autograd/word_bands.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "skein/base/error.h"

namespace skein {

WordBands::WordBands(std::vector<int64_t> ends) : ends_(std::move(ends)) {
  const bool ascend =
      std::adjacent_find(ends_.begin(), ends_.end(), std::greater_equal<>()) == ends_.end();
  if (ends_.empty() || ends_.front() < 1 || !ascend) {
    throw ShapeError("bands of words must end at ascending ids, the first at 1 or more");
  }
}

std::vector<WordBands::Members> WordBands::split(std::span<const int32_t> ids) const {
  std::vector<Members> bands(count());
  for (size_t i = 0; i < ids.size(); ++i) {
    const int64_t id = ids[i];
    if (id < 0 || id >= vocabulary()) {
      throw ShapeError(fmt::format("word {} in a vocabulary of {}", id, vocabulary()));
    }
    const auto band =
        static_cast<size_t>(std::upper_bound(ends_.begin(), ends_.end(), id) - ends_.begin());
    bands[band].rows.push_back(static_cast<int32_t>(i));
    bands[band].words.push_back(static_cast<int32_t>(id - first(band)));
  }
  return bands;
}

}  // namespace skein
