#include "skein/kernels/embedding.h"

#include <fmt/format.h>

#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/kernels/check.h"
#include "skein/kernels/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "skein/kernels/embedding.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "skein/kernels/simd-inl.h"

#ifndef SKEIN_KERNELS_EMBEDDING_ROWS_
#define SKEIN_KERNELS_EMBEDDING_ROWS_
namespace skein::kernels {
namespace {

struct LookUp {
  std::span<const int32_t> ids, position_rows;
  Elements table, positions, out;
  int64_t columns;
  float scale;
  DropoutKeys keys;
  bool masked;
};
// into[rows[i]] += scale * dropout(dy[i])
struct Scatter {
  std::span<const int32_t> rows;
  Elements dy, into;
  int64_t columns;
  float scale;
  DropoutKeys keys;
  bool masked;
};

}  // namespace
}  // namespace skein::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace skein::kernels {
namespace HWY_NAMESPACE {
namespace {

void look_up(const LookUp& l, int64_t begin, int64_t end) {
  for (int64_t r = begin; r < end; ++r) {
    const auto token = static_cast<size_t>(r);
    const Elements from = l.table.from(l.ids[token] * l.columns);
    const Elements position =
        l.positions ? l.positions.from(l.position_rows[token] * l.columns) : Elements{};
    for_lanes(0, l.columns, [&](int64_t c, auto lanes) {
      auto value = hn::Mul(set(l.scale), load(from, c, lanes));
      if (position) value = hn::Add(value, load(position, c, lanes));
      const int64_t index = r * l.columns + c;
      if (l.masked) value = hn::Mul(value, dropout_factors(l.keys, index));
      store(value, l.out, index, lanes);
    });
  }
}

// Columns [begin, end), row after row: the order of sums is that of the rows.
void scatter(const Scatter& s, int64_t begin, int64_t end) {
  for (size_t i = 0; i < s.rows.size(); ++i) {
    const Elements into = s.into.from(s.rows[i] * s.columns);
    const int64_t base = static_cast<int64_t>(i) * s.columns;
    for_lanes(begin, end, [&](int64_t c, auto lanes) {
      auto d = hn::Mul(set(s.scale), load(s.dy, base + c, lanes));
      if (s.masked) d = hn::Mul(d, dropout_factors(s.keys, base + c));
      store(hn::Add(load(into, c, lanes), d), into, c, lanes);
    });
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace skein::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skein::kernels {
namespace {

HWY_EXPORT(look_up);
HWY_EXPORT(scatter);

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

void scatter_rows(const Embedding& arguments, std::span<const int32_t> rows, float scale,
                  const Tensor& dy, Tensor& into) {
  const Scatter all = {.rows = rows,
                       .dy = elements(dy),
                       .into = elements(into),
                       .columns = into.columns(),
                       .scale = scale,
                       .keys = dropout_keys(arguments.dropout),
                       .masked = arguments.dropout.probability > 0};
  parallel_for(into.columns(), 64, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(scatter)(all, begin, end);
  });
}

}  // namespace

void embed(const Embedding& arguments, Tensor& out) {
  require_arguments(arguments, out);
  const LookUp all = {.ids = arguments.ids,
                      .position_rows = arguments.position_rows,
                      .table = elements(arguments.table),
                      .positions = elements(arguments.positions),
                      .out = elements(out),
                      .columns = arguments.table.columns(),
                      .scale = arguments.scale,
                      .keys = dropout_keys(arguments.dropout),
                      .masked = arguments.dropout.probability > 0};
  parallel_for(static_cast<int64_t>(arguments.ids.size()), 16, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(look_up)(all, begin, end);
  });
}

void embed_gradient(const Embedding& arguments, const Tensor& dy, Tensor& d_table,
                    Tensor& d_positions) {
  require_arguments(arguments, dy);
  if (d_table.defined()) {
    require_type("embed_gradient", "d_table", d_table, DType::kF32);
    require_elements("embed_gradient", "d_table", d_table, arguments.table.elements());
    scatter_rows(arguments, arguments.ids, arguments.scale, dy, d_table);
  }
  if (d_positions.defined()) {
    require_type("embed_gradient", "d_positions", d_positions, DType::kF32);
    require_elements("embed_gradient", "d_positions", d_positions,
                     arguments.positions.defined() ? arguments.positions.elements() : 0);
    scatter_rows(arguments, arguments.position_rows, 1, dy, d_positions);
  }
}

}  // namespace skein::kernels
#endif
