#include "skein/autograd/rows.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <utility>

#include "skein/base/error.h"
#include "skein/kernels/check.h"
#include "skein/kernels/elementwise.h"
#include "skein/kernels/rows.h"

namespace skein {
namespace {

// into[rows[i]] += x[i]
void add_rows(const Tensor& x, std::span<const int32_t> rows, Tensor& into) {
  Tensor sums = Tensor::uninitialized(x.shape(), x.type());
  kernels::gather_rows(into, rows, sums);
  kernels::accumulate(x, sums);
  kernels::scatter_rows(sums, rows, into);
}

Tensor gathered(const Tensor& x, std::span<const int32_t> rows) {
  Tensor result = Tensor::uninitialized({static_cast<int64_t>(rows.size()), x.columns()}, x.type());
  kernels::gather_rows(x, rows, result);
  return result;
}

void require_each_row_once(std::span<const PlacedRows> parts, int64_t n) {
  std::vector<bool> there(static_cast<size_t>(n));
  int64_t count = 0;
  for (const PlacedRows& part : parts) {
    for (const int32_t row : part.rows) {
      if (row < 0 || row >= n || there[static_cast<size_t>(row)]) {
        throw ShapeError(fmt::format("merge_rows: row {} of {} is outside or twice there", row, n));
      }
      there[static_cast<size_t>(row)] = true;
      ++count;
    }
  }
  if (count != n) {
    throw ShapeError(fmt::format("merge_rows: {} of {} rows are there", count, n));
  }
}

}  // namespace

Variable select_rows(Tape& tape, const Variable& x, std::span<const int32_t> rows) {
  const Variable output(gathered(x.value(), rows), x.needs_gradient());
  if (!x.needs_gradient()) return output;
  const Shape shape = x.shape();
  tape.record({.outputs = {output.gradient()},
               .inputs =
                   [shape, list = std::vector(rows.begin(), rows.end()), dx = x.gradient(),
                    dy = output.gradient()] {
                     const Tensor& d = dy->tensor();
                     const Gradient::Target target = dx->target(shape, d.type());
                     if (target.accumulate) {
                       add_rows(d, list, target.buffer);
                     } else {
                       target.buffer.fill_zero();
                       kernels::scatter_rows(d, list, target.buffer);
                     }
                   },
               .weights = nullptr});
  return output;
}

Variable merge_rows(Tape& tape, std::vector<PlacedRows> parts, int64_t n, int64_t columns) {
  require_each_row_once(parts, n);
  Tensor whole = Tensor::uninitialized({n, columns}, tape.activations());
  bool needs_gradient = false;
  for (const PlacedRows& part : parts) {
    kernels::scatter_rows(part.values.value(), part.rows, whole);
    needs_gradient = needs_gradient || part.values.needs_gradient();
  }
  const Variable output(std::move(whole), needs_gradient);
  if (!needs_gradient) return output;
  tape.record({.outputs = {output.gradient()},
               .inputs =
                   [list = std::move(parts), dy = output.gradient()] {
                     for (const PlacedRows& part : list) {
                       if (!part.values.needs_gradient()) continue;
                       part.values.gradient()->add(gathered(dy->tensor(), part.rows));
                     }
                   },
               .weights = nullptr});
  return output;
}

Variable concatenate_rows(Tape& tape, const Variable& a, const Variable& b) {
  const Tensor& above = a.value_as(tape.activations());
  const Tensor& below = b.value_as(tape.activations());
  kernels::require_matrix("concatenate_rows", "b", below, below.rows(), above.columns());
  Tensor both = Tensor::uninitialized({above.rows() + below.rows(), above.columns()}, above.type());
  std::memcpy(both.raw(), above.raw(), above.bytes());
  std::memcpy(both.raw() + above.bytes(), below.raw(), below.bytes());
  const bool needs_gradient = tape.recording() && (a.needs_gradient() || b.needs_gradient());
  const Variable output(std::move(both), needs_gradient);
  if (!needs_gradient) return output;
  tape.record({.outputs = {output.gradient()},
               .inputs = nullptr,
               .weights = [a, b, dy = output.gradient()] {
                 const Tensor& d = dy->tensor();
                 const int64_t rows = a.value().rows();
                 if (a.needs_gradient()) a.gradient()->add(d.slice(0, rows));
                 if (b.needs_gradient()) b.gradient()->add(d.slice(rows, d.rows()));
               }});
  return output;
}

Variable transpose(Tape& tape, const Variable& x) {
  const Tensor& value = x.value_as(tape.activations());
  Tensor turned = Tensor::uninitialized({value.columns(), value.rows()}, value.type());
  kernels::transpose(value, turned);
  const Variable output(std::move(turned), tape.recording() && x.needs_gradient());
  if (!output.needs_gradient()) return output;
  tape.record(
      {.outputs = {output.gradient()}, .inputs = nullptr, .weights = [x, dy = output.gradient()] {
         const Tensor& d = dy->tensor();
         Tensor dx = Tensor::uninitialized(x.shape(), d.type());
         kernels::transpose(d, dx);
         x.gradient()->add(std::move(dx));
       }});
  return output;
}

}  // namespace skein
