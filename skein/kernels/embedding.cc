#include "skein/kernels/embedding.h"

#include <fmt/format.h>

#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/kernels/check.h"
#include "skein/kernels/dropout_hash.h"
#include "skein/kernels/plain.h"

namespace skein::kernels {
namespace {

void require_rows(std::string_view name, std::span<const int32_t> rows, int64_t table_rows) {
  for (const int32_t row : rows) {
    if (row < 0 || row >= table_rows) {
      throw ShapeError(fmt::format("embed: {} {} in a table of {} rows", name, row, table_rows));
    }
  }
}

void require_arguments(const Embedding& arguments, const Tensor& out) {
  require_float("embed", "out", out);
  require_float("embed", "table", arguments.table);
  require_probability("embed", arguments.dropout.probability);
  const int64_t columns = arguments.table.columns();
  require_matrix("embed", "out", out, static_cast<int64_t>(arguments.ids.size()), columns);
  require_rows("id", arguments.ids, arguments.table.rows());
  if (!arguments.positions.defined()) return;
  require_type("embed", "positions", arguments.positions, DType::kF32);
  require_matrix("embed", "positions", arguments.positions, arguments.positions.rows(), columns);
  if (arguments.position_rows.size() != arguments.ids.size()) {
    throw ShapeError(fmt::format("embed: {} positions for {} ids", arguments.position_rows.size(),
                                 arguments.ids.size()));
  }
  require_rows("position", arguments.position_rows, arguments.positions.rows());
}

// into[rows[i]] += scale * dropout(dy[i]) for i in order, each thread a part of the columns.
void scatter(const Embedding& arguments, std::span<const int32_t> rows, float scale,
             const Tensor& dy, Tensor& into) {
  const int64_t columns = into.columns();
  float* table = into.data<float>();
  const DropoutKeys keys = dropout_keys(arguments.dropout);
  parallel_for(columns, 64, [&](int64_t begin, int64_t end) {
    for (size_t i = 0; i < rows.size(); ++i) {
      for (int64_t c = begin; c < end; ++c) {
        const int64_t index = static_cast<int64_t>(i) * columns + c;
        table[rows[i] * columns + c] +=
            scale * load(dy, index) * dropout_factor(keys, static_cast<uint64_t>(index));
      }
    }
  });
}

}  // namespace

void embed(const Embedding& arguments, Tensor& out) {
  require_arguments(arguments, out);
  const int64_t columns = arguments.table.columns();
  const DropoutKeys keys = dropout_keys(arguments.dropout);
  parallel_for(static_cast<int64_t>(arguments.ids.size()), 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto token = static_cast<size_t>(i);
      for (int64_t c = 0; c < columns; ++c) {
        float value = arguments.scale * load(arguments.table, arguments.ids[token] * columns + c);
        if (arguments.positions.defined()) {
          value += load(arguments.positions, arguments.position_rows[token] * columns + c);
        }
        const int64_t index = i * columns + c;
        store(out, index, value * dropout_factor(keys, static_cast<uint64_t>(index)));
      }
    }
  });
}

void embed_gradient(const Embedding& arguments, const Tensor& dy, Tensor& d_table,
                    Tensor& d_positions) {
  require_arguments(arguments, dy);
  if (d_table.defined()) {
    require_type("embed_gradient", "d_table", d_table, DType::kF32);
    require_elements("embed_gradient", "d_table", d_table, arguments.table.elements());
    scatter(arguments, arguments.ids, arguments.scale, dy, d_table);
  }
  if (d_positions.defined()) {
    require_type("embed_gradient", "d_positions", d_positions, DType::kF32);
    require_elements("embed_gradient", "d_positions", d_positions,
                     arguments.positions.defined() ? arguments.positions.elements() : 0);
    scatter(arguments, arguments.position_rows, 1, dy, d_positions);
  }
}

}  // namespace skein::kernels
