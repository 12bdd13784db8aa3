#include "skein/nn/positions.h"

#include <algorithm>
#include <cmath>

namespace skein {

Tensor sinusoidal_positions(int64_t max_positions, int64_t width) {
  const int64_t rows = max_positions + kFirstPositionRow;
  const int64_t half = width / 2;
  Tensor table = Tensor::zeros({rows, width}, DType::kF32);
  float* values = table.data<float>();
  const double step = std::log(10000.0) / static_cast<double>(std::max<int64_t>(half - 1, 1));
  for (int64_t row = kFirstPositionRow; row < rows; ++row) {
    for (int64_t j = 0; j < half; ++j) {
      const double angle = static_cast<double>(row) * std::exp(-step * static_cast<double>(j));
      values[row * width + j] = static_cast<float>(std::sin(angle));
      values[row * width + half + j] = static_cast<float>(std::cos(angle));
    }
  }
  return table;
}

std::vector<int32_t> position_rows(std::span<const int32_t> offsets) {
  std::vector<int32_t> rows;
  if (!offsets.empty()) rows.reserve(static_cast<size_t>(offsets.back()));
  for (size_t sentence = 0; sentence + 1 < offsets.size(); ++sentence) {
    const int32_t length = offsets[sentence + 1] - offsets[sentence];
    for (int32_t i = 0; i < length; ++i) rows.push_back(kFirstPositionRow + i);
  }
  return rows;
}

std::vector<int32_t> next_position_rows(int64_t rows, int64_t past, int64_t count) {
  std::vector<int32_t> positions;
  positions.reserve(static_cast<size_t>(rows * count));
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t t = 0; t < count; ++t) {
      positions.push_back(kFirstPositionRow + static_cast<int32_t>(past + t));
    }
  }
  return positions;
}

}  // namespace skein
