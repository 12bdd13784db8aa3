#include "skein/models/adaptive_settings.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>
#include <utility>
#include <vector>

#include "skein/base/error.h"

namespace skein {

void AdaptiveSettings::bind(Settings& settings) {
  settings.add("model.cutoffs", &cutoffs,
               "adaptive softmax: word numbers at which its bands end, ascending; empty: a softmax "
               "over all words");
  settings.add("model.adaptive_factor", &factor, "how many times narrower each band of words is",
               {1, 1e3});
  settings.add("model.adaptive_dropout", &dropout,
               "dropout inside the bands of an adaptive softmax", {0, 0.999});
}

void AdaptiveSettings::bind_input(Settings& settings, bool* adaptive_input) {
  settings.add("model.adaptive_input", adaptive_input,
               "the embeddings have the bands of model.cutoffs too");
}

void AdaptiveSettings::require_fit(bool has_source, const std::string& share, bool adaptive_input,
                                   const char* no_source) const {
  if (cutoffs.empty() && !adaptive_input) return;
  if (has_source) {
    throw UsageError(fmt::format(
        "model.cutoffs and model.adaptive_input are for language models; clear them, or set {}",
        no_source));
  }
  if (cutoffs.empty()) {
    throw UsageError(
        "model.adaptive_input needs the bands of words that model.cutoffs names; give both or "
        "neither");
  }
  if (share != "none" && !adaptive_input) {
    throw UsageError(fmt::format(
        "model.share_embeddings = '{}' with model.cutoffs needs embeddings in the same bands; set "
        "model.adaptive_input to true, or share none",
        share));
  }
}

std::optional<WordBands> AdaptiveSettings::bands(int64_t vocabulary) const {
  std::vector<int64_t> ends;
  std::istringstream numbers(cutoffs);
  for (std::string number; numbers >> number;) {
    int64_t end = 0;
    const auto [rest, error] = std::from_chars(number.data(), number.data() + number.size(), end);
    const int64_t before = ends.empty() ? 0 : ends.back();
    const bool whole = error == std::errc() && rest == number.data() + number.size();
    if (!whole || end <= before || end >= vocabulary) {
      throw UsageError(fmt::format(
          "model.cutoffs = '{}': '{}' is no cut-off of a vocabulary of {}; give ascending numbers "
          "from 1 to {}, or none for a softmax over all words",
          cutoffs, number, vocabulary, vocabulary - 1));
    }
    ends.push_back(end);
  }
  if (ends.empty()) return std::nullopt;
  ends.push_back(vocabulary);
  return WordBands(std::move(ends));
}

}  // namespace skein
