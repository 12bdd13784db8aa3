#include "skein/text/ter_edit_distance.h"

#include <algorithm>
#include <cmath>

namespace skein {
namespace {

// tercom's beam: this many words on each side of the diagonal.
constexpr int kBeamWidth = 25;
// Outside of the beam. Far above any distance, far below overflow.
constexpr int kUnreachable = 1 << 29;

}  // namespace

TerEditDistance::TerEditDistance(std::span<const uint32_t> reference, size_t hypothesis_length)
    : reference_(reference),
      bands_(hypothesis_length + 1),
      base_(hypothesis_length),
      previous_(reference.size() + 1, kUnreachable),
      current_(reference.size() + 1, kUnreachable) {
  const auto columns = static_cast<int>(reference.size()) + 1;
  const double ratio = hypothesis_length > 0 ? static_cast<double>(reference.size()) /
                                                   static_cast<double>(hypothesis_length)
                                             : 1;
  // A much longer reference needs a wider beam for neighbouring rows to overlap.
  const int beam =
      kBeamWidth < ratio / 2 ? static_cast<int>(std::ceil(ratio / 2 + kBeamWidth)) : kBeamWidth;
  bands_[0] = {.begin = 0, .end = columns, .offset = 0};
  for (size_t row = 1; row <= hypothesis_length; ++row) {
    const auto diagonal = static_cast<int>(std::floor(static_cast<double>(row) * ratio));
    const Band& above = bands_[row - 1];
    bands_[row] = {.begin = std::max(0, diagonal - beam),
                   .end = row == hypothesis_length ? columns : std::min(columns, diagonal + beam),
                   .offset = above.offset + static_cast<size_t>(above.end - above.begin)};
  }
  costs_.resize(bands_.back().offset +
                static_cast<size_t>(bands_.back().end - bands_.back().begin));
  for (int column = 0; column < columns; ++column) costs_[static_cast<size_t>(column)] = column;
}

// Fills current_ within the row's band from previous_, which holds the row above.
void TerEditDistance::compute_row(size_t row, uint32_t word) {
  const Band& above = bands_[row - 1];
  const Band& band = bands_[row];
  int* const up = previous_.data();
  int* const here = current_.data();
  for (int column = above.end; column < band.end; ++column) up[column] = kUnreachable;
  if (above.begin > 0) up[above.begin - 1] = kUnreachable;

  int column = band.begin;
  int left = kUnreachable;
  if (column == 0) {
    left = here[0] = up[0] + 1;
    ++column;
  }
  for (; column < band.end; ++column) {
    const int substitution = up[column - 1] + (reference_[static_cast<size_t>(column) - 1] != word);
    left = std::min(std::min(substitution, up[column] + 1), left + 1);
    here[column] = left;
  }
}

void TerEditDistance::load_base(size_t row) {
  const Band& band = bands_[row];
  std::copy_n(costs_.data() + band.offset, band.end - band.begin, previous_.data() + band.begin);
}

bool TerEditDistance::equals_base(size_t row) const {
  const Band& band = bands_[row];
  return std::equal(current_.begin() + band.begin, current_.begin() + band.end,
                    costs_.begin() + static_cast<ptrdiff_t>(band.offset));
}

int TerEditDistance::set_base(std::span<const uint32_t> hypothesis) {
  std::copy(hypothesis.begin(), hypothesis.end(), base_.begin());
  load_base(0);
  for (size_t row = 1; row < bands_.size(); ++row) {
    compute_row(row, hypothesis[row - 1]);
    const Band& band = bands_[row];
    std::copy(current_.begin() + band.begin, current_.begin() + band.end,
              costs_.begin() + static_cast<ptrdiff_t>(band.offset));
    std::swap(previous_, current_);
  }
  return costs_.back();
}

int TerEditDistance::shifted(std::span<const uint32_t> hypothesis, size_t begin, size_t end) {
  load_base(begin);
  for (size_t row = begin + 1; row < bands_.size(); ++row) {
    compute_row(row, hypothesis[row - 1]);
    if (row >= end && equals_base(row)) return costs_.back();
    std::swap(previous_, current_);
  }
  return previous_[reference_.size()];
}

int TerEditDistance::base_cost(int row, int column) const {
  const Band& band = bands_[static_cast<size_t>(row)];
  if (column < band.begin || column >= band.end) return kUnreachable;
  return costs_[band.offset + static_cast<size_t>(column - band.begin)];
}

TerAlignment TerEditDistance::alignment() const {
  auto row = static_cast<int>(base_.size());
  auto column = static_cast<int>(reference_.size());
  TerAlignment result = {.hypothesis_position = std::vector<int>(reference_.size()),
                         .reference_error = std::vector<char>(reference_.size(), 1),
                         .hypothesis_error = std::vector<char>(base_.size(), 1)};
  // Of equally cheap steps back: first along the diagonal, then a surplus word of the hypothesis,
  // then a missing word of the reference.
  while (row > 0 || column > 0) {
    const int cost = base_cost(row, column);
    if (row > 0 && column > 0) {
      const auto h = static_cast<size_t>(row) - 1;
      const auto r = static_cast<size_t>(column) - 1;
      const bool differs = base_[h] != reference_[r];
      if (base_cost(row - 1, column - 1) + differs == cost) {
        result.hypothesis_position[r] = row - 1;
        result.reference_error[r] = result.hypothesis_error[h] = differs;
        --row;
        --column;
        continue;
      }
    }
    if (row > 0 && base_cost(row - 1, column) + 1 == cost) {
      --row;
    } else {
      --column;
      result.hypothesis_position[static_cast<size_t>(column)] = row - 1;
    }
  }
  return result;
}

}  // namespace skein
