#include "skein/data/pair_filter.h"

#include <fmt/format.h>

#include <algorithm>

#include "skein/data/record.h"

namespace skein::internal {

Verdict PairFilter::judge_text(const Pair& pair) const {
  if (is_blank(pair.target) || (!monolingual && is_blank(pair.source))) return Verdict::kEmpty;
  if (drop_identical && pair.source == pair.target) return Verdict::kIdentical;
  return Verdict::kKept;
}

Verdict PairFilter::judge_lengths(size_t source, size_t target) const {
  const auto longer = static_cast<double>(std::max(source, target));
  const auto shorter = static_cast<double>(monolingual ? target : std::min(source, target));
  if (shorter == 0) return Verdict::kEmpty;
  if (max_length > 0 && longer > static_cast<double>(max_length)) return Verdict::kTooLong;
  if (max_ratio > 0 && !monolingual && longer > max_ratio * shorter) return Verdict::kUneven;
  return Verdict::kKept;
}

std::vector<std::pair<std::string, int64_t>> PairFilter::in_words(
    const VerdictCounts& counts) const {
  const std::array<std::string, kVerdicts> words = {
      "",
      monolingual ? "empty" : "with an empty side",
      "with source equal to target",
      "duplicates",
      fmt::format("longer than {} tokens", max_length),
      fmt::format("with one side more than {} times longer", max_ratio)};
  std::vector<std::pair<std::string, int64_t>> result;
  for (size_t i = 1; i < kVerdicts; ++i) {
    if (counts[i] > 0) result.emplace_back(words[i], counts[i]);
  }
  return result;
}

PairFilter training_filter(const PrepareOptions& options) {
  return {.monolingual = options.corpus.monolingual(),
          .max_length = options.max_length,
          .max_ratio = options.max_ratio,
          .drop_identical = options.drop_identical};
}

PairFilter evaluation_filter(const PrepareOptions& options) {
  return {.monolingual = options.corpus.monolingual()};
}

}  // namespace skein::internal
