#include "skein/kernels/product.h"

#include <fmt/format.h>

#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/kernels/amx_product.h"
#include "skein/kernels/matmul.h"
#include "skein/kernels/recent.h"

namespace skein::kernels {

using dnnl::memory;

struct Product {
  memory::desc a, b, bias, out, scratchpad;
  dnnl::matmul primitive;
  int threads = 1;
};

namespace {

// A packed matrix and the ways into it.
struct Packing {
  memory::desc rows, transposed, packed;
  dnnl::reorder from_rows, from_transposed;
};

// oneDNN's processor and the code generated so far. One a process, as the code is; never destroyed,
// since it outlives static objects.
struct Engine {
  dnnl::engine processor{dnnl::engine::kind::cpu, 0};
  Recent<ProductShape, Product> products{2048};
  Recent<PackedShape, Packing> packings{512};
};
Engine& engine() {
  static Engine& instance = *new Engine;
  return instance;
}

// oneDNN generates code for the number of threads of the moment.
class ScopedThreads {
 public:
  explicit ScopedThreads(int count) : before_(threads()) { set_threads(count); }
  ~ScopedThreads() { set_threads(before_); }
  ScopedThreads(const ScopedThreads&) = delete;
  ScopedThreads& operator=(const ScopedThreads&) = delete;

 private:
  int before_;
};

template <typename Function>
auto translated(const char* what, Function&& function) {
  try {
    return function();
  } catch (const dnnl::error& error) {
    throw Error(fmt::format("oneDNN failed to {}: {} (status {})", what, error.what(),
                            static_cast<int>(error.status)));
  }
}

memory::data_type dnnl_type(DType type) {
  return type == DType::kF32 ? memory::data_type::f32 : memory::data_type::bf16;
}

memory::desc matrix_desc(int64_t rows, int64_t columns, DType type, bool transposed) {
  const memory::dims strides = transposed ? memory::dims{1, rows} : memory::dims{columns, 1};
  return {{rows, columns}, dnnl_type(type), strides};
}

dnnl::matmul::primitive_desc describe(const Product& product, const ProductShape& shape,
                                      bool may_fail) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  dnnl::post_ops after;
  if (shape.accumulate) after.append_sum(1.0f);
  const auto& processor = engine().processor;
#if DNNL_VERSION_MAJOR >= 3
  if (shape.relu) after.append_eltwise(dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
  attributes.set_post_ops(after);
  if (!shape.bias) return {processor, product.a, product.b, product.out, attributes, may_fail};
  return {processor, product.a, product.b, product.bias, product.out, attributes, may_fail};
#else
  if (shape.relu) after.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
  attributes.set_post_ops(after);
  const dnnl::matmul::desc operation =
      shape.bias ? dnnl::matmul::desc(product.a, product.b, product.bias, product.out)
                 : dnnl::matmul::desc(product.a, product.b, product.out);
  return {operation, attributes, processor, may_fail};
#endif
}

std::shared_ptr<const Packing> find_packing(const PackedShape& shape) {
  return engine().packings.find(shape, [](const PackedShape& key) {
    constexpr int64_t kUsualRows = 256;
    const ScopedThreads one(1);
    Packing packing;
    packing.rows = matrix_desc(key.k, key.n, key.type, false);
    packing.transposed = matrix_desc(key.k, key.n, key.type, true);
    const Product usual = {.a = matrix_desc(kUsualRows, key.k, key.type, false),
                           .b = {{key.k, key.n}, dnnl_type(key.type), memory::format_tag::any},
                           .bias = {},
                           .out = matrix_desc(kUsualRows, key.n, key.type, false),
                           .scratchpad = {},
                           .primitive = {},
                           .threads = 1};
    const dnnl::engine& processor = engine().processor;
    packing.packed = describe(usual, {}, false).weights_desc();
    packing.from_rows = dnnl::reorder(
        dnnl::reorder::primitive_desc(processor, packing.rows, processor, packing.packed));
    packing.from_transposed = dnnl::reorder(
        dnnl::reorder::primitive_desc(processor, packing.transposed, processor, packing.packed));
    return packing;
  });
}

Product make_product(const ProductShape& shape) {
  const ScopedThreads count(shape.threads);
  Product product;
  product.a = matrix_desc(shape.m, shape.k, shape.in, shape.transpose_a);
  product.b = shape.b == Layout::kPacked
                  ? find_packing({shape.n, shape.k, shape.in})->packed
                  : matrix_desc(shape.k, shape.n, shape.in, shape.b == Layout::kTransposed);
  product.out = matrix_desc(shape.m, shape.n, shape.out, false);
  if (shape.bias) product.bias = matrix_desc(1, shape.n, DType::kF32, false);
  const dnnl::matmul::primitive_desc description = describe(product, shape, false);
  product.scratchpad = description.scratchpad_desc();
  product.primitive = dnnl::matmul(description);
  product.threads = shape.threads;
  return product;
}

}  // namespace

std::shared_ptr<const Product> find_product(const ProductShape& shape) {
  return translated("generate a product",
                    [&] { return engine().products.find(shape, make_product); });
}

size_t scratchpad_bytes(const Product& product) { return product.scratchpad.get_size(); }

void run(const Product& product, const ProductArguments& arguments) {
  translated("multiply", [&] {
    const ScopedThreads count(product.threads);
    const dnnl::engine& processor = engine().processor;
    const auto argument = [&](const memory::desc& desc, const void* data) {
      return memory(desc, processor, const_cast<void*>(data));
    };
    std::unordered_map<int, memory> all = {
        {DNNL_ARG_SRC, argument(product.a, arguments.a)},
        {DNNL_ARG_WEIGHTS, argument(product.b, arguments.b)},
        {DNNL_ARG_DST, argument(product.out, arguments.out)},
        {DNNL_ARG_SCRATCHPAD, argument(product.scratchpad, arguments.scratchpad)}};
    if (arguments.bias != nullptr) all[DNNL_ARG_BIAS] = argument(product.bias, arguments.bias);
    dnnl::stream stream(processor);
    product.primitive.execute(stream, all);
    stream.wait();
  });
}

size_t packed_bytes(const PackedShape& shape) {
  return translated("describe a packed matrix",
                    [&] { return find_packing(shape)->packed.get_size(); });
}

bool packing_helps(const PackedShape& shape) {
  return translated("describe a packed matrix", [&] {
    const auto packing = find_packing(shape);
    return packing->packed != packing->rows && packing->packed != packing->transposed;
  });
}

void pack(const PackedShape& shape, Layout from, const void* b, void* packed) {
  translated("pack a matrix", [&] {
    const auto packing = find_packing(shape);
    const bool transposed = from == Layout::kTransposed;
    const dnnl::engine& processor = engine().processor;
    memory source(transposed ? packing->transposed : packing->rows, processor,
                  const_cast<void*>(b));
    memory target(packing->packed, processor, packed);
    dnnl::stream stream(processor);
    dnnl::reorder reorder = transposed ? packing->from_transposed : packing->from_rows;
    reorder.execute(stream, source, target);
    stream.wait();
  });
}

bool bf16_products() {
  static const bool known = [] {
    const Product small = {.a = matrix_desc(1, 1, DType::kBF16, false),
                           .b = matrix_desc(1, 1, DType::kBF16, false),
                           .bias = {},
                           .out = matrix_desc(1, 1, DType::kBF16, false),
                           .scratchpad = {},
                           .primitive = {},
                           .threads = 1};
    return static_cast<bool>(describe(small, {}, true));
  }();
  return known;
}

bool amx_products() {
  const dnnl::cpu_isa isa = dnnl::get_effective_cpu_isa();
#if DNNL_VERSION_MAJOR >= 3
  if (isa == dnnl::cpu_isa::avx512_core_amx_fp16) return true;
#endif
  return isa == dnnl::cpu_isa::avx512_core_amx;
}

bool native_bf16() {
#if defined(__aarch64__)
  constexpr unsigned long kBf16 = 1UL << 14;  // HWCAP2_BF16
  return (getauxval(AT_HWCAP2) & kBf16) != 0;
#else
  const dnnl::cpu_isa isa = dnnl::get_effective_cpu_isa();
  using enum dnnl::cpu_isa;
#if DNNL_VERSION_MAJOR >= 3
  if (isa == avx512_core_fp16 || isa == avx512_core_amx_fp16) return true;
#endif
  return isa == avx512_core_bf16 || isa == avx512_core_amx;
#endif
}

}  // namespace skein::kernels
