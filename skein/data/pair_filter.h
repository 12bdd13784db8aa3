// Which pairs of a corpus become samples.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "skein/data/prepare.h"

namespace skein::internal {

enum class Verdict { kKept, kEmpty, kIdentical, kDuplicate, kTooLong, kUneven };
inline constexpr size_t kVerdicts = 6;
using VerdictCounts = std::array<int64_t, kVerdicts>;

// The filters of one split.
struct PairFilter {
  bool monolingual = false;
  int64_t max_length = 0;  // 0: any
  double max_ratio = 0;    // 0: any
  bool drop_identical = false;

  // By the text, before it is split into pieces: kKept, kEmpty or kIdentical.
  Verdict judge_text(const Pair& pair) const;
  // By the numbers of tokens: kKept, kEmpty, kTooLong or kUneven.
  Verdict judge_lengths(size_t source, size_t target) const;
  // The counts that are not 0, in words.
  std::vector<std::pair<std::string, int64_t>> in_words(const VerdictCounts& counts) const;
};

PairFilter training_filter(const PrepareOptions& options);
PairFilter evaluation_filter(const PrepareOptions& options);

}  // namespace skein::internal
