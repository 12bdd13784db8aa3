// Positions of tokens within their sentences.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "skein/autograd/variable.h"
#include "skein/nn/parameter_store.h"

namespace skein {

// Rows of a position table: the first token of a sentence uses row 2, as in the reference, whose
// rows 0 and 1 belong to padding.
constexpr int32_t kFirstPositionRow = 2;

// [max_positions + 2, width]: row p = [sin(p f_0) .. , cos(p f_0) ..], f_j = 10000^(-j / (width/2 -
// 1)); Vaswani et al. 2017, in the reference's order (two halves). An odd last column is zero.
Tensor sinusoidal_positions(int64_t max_positions, int64_t width);

// For packed sentences with these offsets: each token's row.
std::vector<int32_t> position_rows(std::span<const int32_t> offsets);
// [rows * count]: of the `count` tokens behind `past` ones, for each of `rows` sentences.
std::vector<int32_t> next_position_rows(int64_t rows, int64_t past, int64_t count);

}  // namespace skein
