// Self-attention of the encoder: length of a sentence, width, heads.
#include <algorithm>
#include <cstdint>
#include <memory>

#include "skein/bench/kernel_cases.h"
#include "skein/kernels/attention.h"

namespace skein {
namespace {

struct Sizes {
  int64_t length = 0;  // below 64: plus -3 to 3
  int64_t width = 0;
  int64_t heads = 0;
};

constexpr Sizes kSizes[] = {{14, 512, 8}, {14, 256, 4}, {128, 512, 8}, {512, 512, 8}};

std::vector<int32_t> offsets(int64_t length) {
  std::vector<int32_t> result = {0};
  for (int64_t i = 0; result.back() < kBenchmarkTokens; ++i) {
    const int64_t next = length + (length < 64 ? i % 7 - 3 : 0);
    result.push_back(static_cast<int32_t>(std::min(kBenchmarkTokens, result.back() + next)));
  }
  return result;
}

// Pairs of a query and a key.
double pairs(const std::vector<int32_t>& offsets) {
  double sum = 0;
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    const double length = offsets[s + 1] - offsets[s];
    sum += length * length;
  }
  return sum;
}

class Attention {
 public:
  Attention(DType type, const Sizes& sizes)
      : width_(sizes.width),
        offsets_(offsets(sizes.length)),
        qkv_(random_operand({kBenchmarkTokens, 3 * sizes.width}, type)),
        d_qkv_(qkv_.copy()),
        out_(Tensor::zeros({kBenchmarkTokens, sizes.width}, type)),
        d_out_(random_operand({kBenchmarkTokens, sizes.width}, type)),
        log_sums_(Tensor::zeros({kBenchmarkTokens, sizes.heads}, DType::kF32)),
        shape_{.query_offsets = offsets_,
               .key_offsets = offsets_,
               .heads = sizes.heads,
               .scale = 0.125f,
               .dropout = {.probability = 0.1f, .seed = 1}} {}
  Attention(const Attention&) = delete;
  Attention& operator=(const Attention&) = delete;

  void forward() {
    kernels::attention(shape_, part(qkv_, 0), part(qkv_, 1), part(qkv_, 2), out_, log_sums_);
  }

  // After forward().
  void backward() {
    kernels::attention_gradient(shape_, {.queries = part(qkv_, 0),
                                         .keys = part(qkv_, 1),
                                         .values = part(qkv_, 2),
                                         .log_sums = log_sums_,
                                         .d_out = d_out_,
                                         .d_queries = part(d_qkv_, 0),
                                         .d_keys = part(d_qkv_, 1),
                                         .d_values = part(d_qkv_, 2)});
  }

 private:
  MatrixView part(const Tensor& all, int64_t index) const {
    return column_block(all, index * width_, width_);
  }

  int64_t width_;
  std::vector<int32_t> offsets_;
  Tensor qkv_;  // [tokens, 3 width]
  Tensor d_qkv_;
  Tensor out_;  // [tokens, width]
  Tensor d_out_;
  Tensor log_sums_;  // [tokens, heads]
  kernels::AttentionShape shape_;
};

// `products`: of width multiplications and additions, for each pair.
KernelCase attention(const char* name, const Sizes& sizes, double products) {
  return {.name = name,
          .shape = {sizes.length, sizes.width, sizes.heads},
          .kind = Work::kOperations,
          .work = products * 2 * pairs(offsets(sizes.length)) * static_cast<double>(sizes.width),
          .prepare = {}};
}

KernelCase attention_forward(DType type, const Sizes& sizes) {
  KernelCase kernel = attention("attention_forward", sizes, 2);
  kernel.prepare = [=] {
    auto attention = std::make_shared<Attention>(type, sizes);
    return [attention] { attention->forward(); };
  };
  return kernel;
}

KernelCase attention_backward(DType type, const Sizes& sizes) {
  KernelCase kernel = attention("attention_backward", sizes, 5);
  kernel.prepare = [=] {
    auto attention = std::make_shared<Attention>(type, sizes);
    attention->forward();
    return [attention] { attention->backward(); };
  };
  return kernel;
}

}  // namespace

void add_attention_cases(DType type, std::vector<KernelCase>& cases) {
  for (const Sizes& sizes : kSizes) cases.push_back(attention_forward(type, sizes));
  for (const Sizes& sizes : kSizes) cases.push_back(attention_backward(type, sizes));
}

}  // namespace skein
