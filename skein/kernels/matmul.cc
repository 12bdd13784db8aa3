#include "skein/kernels/matmul.h"

#include <fmt/format.h>

#include <compare>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/kernels/check.h"
#include "skein/tensor/arena.h"

namespace skein::kernels {
namespace {

using Type = dnnl::memory::data_type;

// Everything that oneDNN generates code from.
struct ProductKey {
  int64_t m, n, k;
  bool transpose_a, transpose_b, accumulate, bias, relu;
  DType in, out;
  int threads;
  auto operator<=>(const ProductKey&) const = default;
};

struct Product {
  dnnl::memory::desc a, b, bias, out;
  dnnl::matmul primitive;
  size_t scratchpad = 0;
};

Type dnnl_type(DType type) { return type == DType::kF32 ? Type::f32 : Type::bf16; }

dnnl::memory::desc matrix_desc(int64_t rows, int64_t columns, DType type, bool transposed) {
  const dnnl::memory::dims strides =
      transposed ? dnnl::memory::dims{1, rows} : dnnl::memory::dims{columns, 1};
  return {{rows, columns}, dnnl_type(type), strides};
}

dnnl::primitive_attr attributes(const ProductKey& key) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  dnnl::post_ops after;
  if (key.accumulate) after.append_sum(1.0f);
#if DNNL_VERSION_MAJOR >= 3
  if (key.relu) after.append_eltwise(dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
#else
  if (key.relu) after.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
#endif
  attributes.set_post_ops(after);
  return attributes;
}

Product make_product(const ProductKey& key, const dnnl::engine& engine) {
  Product product;
  product.a = matrix_desc(key.m, key.k, key.in, key.transpose_a);
  product.b = matrix_desc(key.k, key.n, key.in, key.transpose_b);
  product.out = matrix_desc(key.m, key.n, key.out, false);
  if (key.bias) product.bias = {{1, key.n}, Type::f32, dnnl::memory::dims{key.n, 1}};
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::matmul::primitive_desc description(engine, product.a, product.b, product.bias,
                                                 product.out, attributes(key));
#else
  const dnnl::matmul::desc operation =
      key.bias ? dnnl::matmul::desc(product.a, product.b, product.bias, product.out)
               : dnnl::matmul::desc(product.a, product.b, product.out);
  const dnnl::matmul::primitive_desc description(operation, attributes(key), engine);
#endif
  product.scratchpad = description.scratchpad_desc().get_size();
  product.primitive = dnnl::matmul(description);
  return product;
}

// oneDNN with the products made so far, the least recently used forgotten first.
class Products {
 public:
  std::shared_ptr<const Product> find(const ProductKey& key) {
    const std::lock_guard lock(mutex_);
    const auto known = index_.find(key);
    if (known != index_.end()) {
      recent_.splice(recent_.begin(), recent_, known->second);
      return known->second->second;
    }
    recent_.emplace_front(key, std::make_shared<const Product>(make_product(key, engine_)));
    index_[key] = recent_.begin();
    if (recent_.size() > kCapacity) {
      index_.erase(recent_.back().first);
      recent_.pop_back();
    }
    return recent_.front().second;
  }

  const dnnl::engine& engine() const { return engine_; }

 private:
  static constexpr size_t kCapacity = 1024;
  using Entry = std::pair<ProductKey, std::shared_ptr<const Product>>;

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  std::mutex mutex_;
  std::list<Entry> recent_;
  std::map<ProductKey, std::list<Entry>::iterator> index_;
};

// One a process, as the generated code is; never destroyed, since it outlives static objects.
Products& products() {
  static Products& instance = *new Products;
  return instance;
}

ProductKey key_of(const Tensor& a, const Tensor& b, const Tensor& out,
                  const MatmulOptions& options) {
  require_float("matmul", "a", a);
  require_type("matmul", "b", b, a.type());
  require_float("matmul", "out", out);
  const int64_t m = options.transpose_a ? a.columns() : a.rows();
  const int64_t k = options.transpose_a ? a.rows() : a.columns();
  const int64_t n = options.transpose_b ? b.rows() : b.columns();
  const int64_t b_k = options.transpose_b ? b.columns() : b.rows();
  const bool empty = m == 0 || n == 0 || k == 0;
  if (!empty && b_k != k) {
    throw ShapeError(fmt::format("matmul: a {}{} and b {}{} do not fit", a.shape().to_string(),
                                 options.transpose_a ? " transposed" : "", b.shape().to_string(),
                                 options.transpose_b ? " transposed" : ""));
  }
  if (!empty) require_matrix("matmul", "out", out, m, n);
  if (options.bias != nullptr) {
    require_type("matmul", "bias", *options.bias, DType::kF32);
    require_elements("matmul", "bias", *options.bias, out.columns());
  }
  return {.m = m,
          .n = n,
          .k = k,
          .transpose_a = options.transpose_a,
          .transpose_b = options.transpose_b,
          .accumulate = options.accumulate,
          .bias = options.bias != nullptr,
          .relu = options.activation == Activation::kRelu,
          .in = a.type(),
          .out = out.type(),
          .threads = threads()};
}

void execute(const Product& product, const Tensor& a, const Tensor& b, Tensor& out,
             const Tensor* bias) {
  const dnnl::engine& engine = products().engine();
  const auto argument = [&](const dnnl::memory::desc& desc, const Tensor& tensor) {
    return dnnl::memory(desc, engine, const_cast<std::byte*>(tensor.raw()));
  };
  const auto scratchpad = allocate_tensor_memory(product.scratchpad);
  const dnnl::memory::desc scratchpad_desc({static_cast<int64_t>(product.scratchpad)}, Type::u8,
                                           dnnl::memory::dims{1});
  std::unordered_map<int, dnnl::memory> arguments = {
      {DNNL_ARG_SRC, argument(product.a, a)},
      {DNNL_ARG_WEIGHTS, argument(product.b, b)},
      {DNNL_ARG_DST, argument(product.out, out)},
      {DNNL_ARG_SCRATCHPAD, dnnl::memory(scratchpad_desc, engine, scratchpad.get())}};
  if (bias != nullptr) arguments.emplace(DNNL_ARG_BIAS, argument(product.bias, *bias));
  dnnl::stream stream(engine);
  product.primitive.execute(stream, arguments);
  stream.wait();
}

}  // namespace

void matmul(const Tensor& a, const Tensor& b, Tensor& out, const MatmulOptions& options) {
  if (options.activation != Activation::kNone && options.activation != Activation::kRelu) {
    throw ShapeError("matmul: only relu can be fused with a product");
  }
  const ProductKey key = key_of(a, b, out, options);
  if (out.elements() == 0) return;
  if (key.k == 0) {
    if (!options.accumulate) out.fill_zero();
    return;
  }
  try {
    execute(*products().find(key), a, b, out, options.bias);
  } catch (const dnnl::error& error) {
    throw Error(fmt::format("matmul of {} and {}: oneDNN failed: {} (status {})",
                            a.shape().to_string(), b.shape().to_string(), error.what(),
                            static_cast<int>(error.status)));
  }
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
