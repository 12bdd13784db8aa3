// One matrix product of a fixed shape, as code that oneDNN generates: product.cc is the only file
// that knows oneDNN. matmul.h is what the rest of the program calls.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "skein/tensor/dtype.h"

namespace skein::kernels {

// How the right factor [k, n] lies in memory: by rows, as its transpose by rows, or in the order in
// which the generated code reads it (pack()).
enum class Layout : uint8_t { kRows, kTransposed, kPacked };

struct ProductShape {
  int64_t m = 0, n = 0, k = 0;
  bool transpose_a = false;
  Layout b = Layout::kRows;
  bool accumulate = false;  // out += a b
  bool bias = false;
  bool relu = false;
  DType in = DType::kF32;
  DType out = DType::kF32;
  int threads = 1;  // that share one execution
  auto operator<=>(const ProductShape&) const = default;
};

struct ProductArguments {
  const void* a = nullptr;
  const void* b = nullptr;
  void* out = nullptr;
  const void* bias = nullptr;
  void* scratchpad = nullptr;  // scratchpad_bytes(), 64-byte aligned
};

struct Product;

// The product of a shape, from a bounded cache: generating takes about a millisecond, finding about
// a microsecond. Throws Error if oneDNN refuses.
std::shared_ptr<const Product> find_product(const ProductShape& shape);
size_t scratchpad_bytes(const Product& product);
// May run in several threads at once, with a scratchpad each.
void run(const Product& product, const ProductArguments& arguments);

// The right factor [k, n] reordered for every product with these n, k and type.
struct PackedShape {
  int64_t n = 0, k = 0;
  DType type = DType::kF32;
  auto operator<=>(const PackedShape&) const = default;
};
size_t packed_bytes(const PackedShape& shape);
// False if this processor's products read the plain order: packing gains nothing then.
bool packing_helps(const PackedShape& shape);
void pack(const PackedShape& shape, Layout from, const void* b, void* packed);

// True if products of bf16 exist on this processor, natively or not.
bool bf16_products();

}  // namespace skein::kernels
