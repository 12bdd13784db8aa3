// Panels: how right factors are laid out that are multiplied by vectors of their columns, and how
// such products are cut into work for threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "skein/base/parallel.h"

namespace skein::kernels {

// A panel is kPanelColumns columns of b side by side, row after row; the last is filled with zeros.
inline constexpr int64_t kPanelColumns = 64;

inline int64_t panel_count(int64_t columns) {
  return (columns + kPanelColumns - 1) / kPanelColumns;
}

struct PanelWork {
  int64_t rows = 0, panels = 0;
  int64_t block = 0;  // rows of a that stay in the second-level cache while all panels pass
  int64_t grain = 0;  // panels of a block that are worth a thread
};

// Calls multiply(panel, first row, end of rows) for every panel and block of rows, by all threads.
template <typename Multiply>
void for_panels(const PanelWork& work, Multiply&& multiply) {
  const int64_t blocks = (work.rows + work.block - 1) / work.block;
  parallel_for(blocks * work.panels, work.grain, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t first = task / work.panels * work.block;
      multiply(task % work.panels, first, std::min(first + work.block, work.rows));
    }
  });
}

}  // namespace skein::kernels
