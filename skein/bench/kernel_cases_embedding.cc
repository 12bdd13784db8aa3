// The two ends of a model: embedding (tokens, width) and loss (tokens, words).
#include <cstdint>
#include <memory>

#include "skein/bench/kernel_cases.h"
#include "skein/kernels/cross_entropy.h"
#include "skein/kernels/embedding.h"

namespace skein {
namespace {

constexpr int64_t kWidth = 512;
constexpr int64_t kLossTokens = 512;

class Embedding {
 public:
  explicit Embedding(DType type)
      : table_(random_operand({kBenchmarkWords, kWidth}, type)),
        positions_(random_operand({64, kWidth}, DType::kF32)),
        out_(random_operand({kBenchmarkTokens, kWidth}, type)),
        d_table_(Tensor::zeros({kBenchmarkWords, kWidth}, DType::kF32)) {
    for (int64_t i = 0; i < kBenchmarkTokens; ++i) {
      ids_.push_back(static_cast<int32_t>(i * i % 7919));
      rows_.push_back(static_cast<int32_t>(i % 14));
    }
  }

  void forward() { kernels::embed(arguments(), out_); }

  void backward() {
    Tensor none;
    kernels::embed_gradient(arguments(), out_, d_table_, none);
  }

 private:
  kernels::Embedding arguments() const {
    return {.ids = ids_,
            .position_rows = rows_,
            .table = table_,
            .positions = positions_,
            .scale = 20,
            .dropout = {.probability = 0.1f, .seed = 1}};
  }

  std::vector<int32_t> ids_;
  std::vector<int32_t> rows_;
  Tensor table_;
  Tensor positions_;
  Tensor out_;
  Tensor d_table_;
};

KernelCase embedding(const char* name, DType type, double passes) {
  return {.name = name,
          .shape = {kBenchmarkTokens, kWidth},
          .kind = Work::kBytes,
          .work = passes * static_cast<double>(kBenchmarkTokens * kWidth) *
                  static_cast<double>(size_of(type)),
          .prepare = {}};
}

KernelCase embedding_forward(DType type) {
  KernelCase kernel = embedding("embedding_forward", type, 2);
  kernel.prepare = [type] {
    return [embedding = std::make_shared<Embedding>(type)] { embedding->forward(); };
  };
  return kernel;
}

KernelCase embedding_backward(DType type) {
  KernelCase kernel = embedding("embedding_backward", type, 5);
  kernel.prepare = [type] {
    return [embedding = std::make_shared<Embedding>(type)] { embedding->backward(); };
  };
  return kernel;
}

KernelCase loss(DType type) {
  const Shape shape{kLossTokens, kBenchmarkWords};
  return {.name = "loss",
          .shape = {kLossTokens, kBenchmarkWords},
          .kind = Work::kBytes,
          .work = static_cast<double>(shape.elements()) *
                  static_cast<double>(size_of(DType::kF32) + size_of(type)),
          .prepare = [=] {
            return
                [logits = random_operand(shape, DType::kF32), d_logits = Tensor::zeros(shape, type),
                 targets = std::vector<int32_t>(kLossTokens, 17)]() mutable {
                  kernels::cross_entropy(logits, targets, 0.1f, d_logits);
                };
          }};
}

}  // namespace

void add_embedding_cases(DType type, std::vector<KernelCase>& cases) {
  cases.push_back(embedding_forward(type));
  cases.push_back(embedding_backward(type));
  cases.push_back(loss(type));
}

}  // namespace skein
