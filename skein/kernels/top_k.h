// What a search over words needs of one row of logits, without a normalised copy of it: the
// logarithm of the softmax's denominator, and the few largest values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace skein::kernels {

// log Σ exp(scale · x) over the row, f32. The same row gives the same bits wherever it lies. NaN if
// any value is NaN; -infinity for an empty row and one that is -infinity throughout.
float log_sum_exp(std::span<const float> row, float scale = 1.0F);

struct RankedValue {
  float value = 0;
  int32_t index = 0;
  bool operator==(const RankedValue& other) const = default;
};

// Replaces `best` by the k largest values of the row, largest first, equal ones in the order of the
// row. -infinity and NaN are left out, so fewer than k may come.
void top_k(std::span<const float> row, int64_t k, std::vector<RankedValue>& best);

}  // namespace skein::kernels
