#include "skein/bench/product_rates.h"

#include <cstdint>

#include "skein/base/random.h"
#include "skein/kernels/matmul.h"

namespace skein {
namespace {

constexpr int kRuns = 3;

Tensor random_matrix(int64_t rows, int64_t columns, DType type, Random& random) {
  Tensor tensor = Tensor::uninitialized({rows, columns}, DType::kF32);
  for (float& value : tensor.values<float>()) value = static_cast<float>(random.uniform()) - 0.5f;
  return tensor.converted(type);
}

}  // namespace

ProductRates::ProductRates(DType type, Clock clock) : clock_(clock) {
  Random random(1);
  for (const Shape& shape : {Shape{4096, 512, 512}, Shape{4096, 2048, 512}, Shape{4096, 512, 2048},
                             Shape{2048, 2048, 2048}}) {
    products_.push_back({.shape = shape,
                         .x = random_matrix(shape[0], shape[2], type, random),
                         .weight = random_matrix(shape[1], shape[2], type, random),
                         .out = Tensor::zeros({shape[0], shape[1]}, type)});
    products_.back().run();
  }
}

void ProductRates::Product::run() { kernels::matmul(x, weight, out, {.transpose_b = true}); }

void ProductRates::measure() {
  for (Product& product : products_) {
    const double begin = clock_();
    for (int run = 0; run < kRuns; ++run) product.run();
    product.seconds += clock_() - begin;
  }
  runs_ += kRuns;
}

ProductRate ProductRates::best() const {
  ProductRate best;
  for (const Product& product : products_) {
    const ProductRate rate = {.shape = product.shape, .seconds = product.seconds / runs_};
    if (best.seconds == 0 || rate.flops_per_second() > best.flops_per_second()) best = rate;
  }
  return best;
}

}  // namespace skein
