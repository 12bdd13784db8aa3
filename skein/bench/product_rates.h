// What the processor multiplies at best, to set other rates against.
#pragma once

#include <vector>

#include "skein/bench/measure.h"
#include "skein/tensor/tensor.h"

namespace skein {

struct ProductRate {
  Shape shape;         // [m, n, k] of the product x Wᵀ
  double seconds = 0;  // of one product, mean
  double operations() const { return 2.0 * static_cast<double>(shape.elements()); }
  double flops_per_second() const { return operations() / seconds; }
};

// The rates of oneDNN's products at the shapes of training, taken between other measurements: the
// speed of a shared machine changes from second to second (by a factor of two where the matrix unit
// has another user), so that only totals over the same time compare.
class ProductRates {
 public:
  // `type`: f32 or bf16. Generates oneDNN's code, too, so that no measure() does.
  ProductRates(DType type, Clock clock);

  // Runs every product some times.
  void measure();

  // The best shape, over all measure(), of which there was one at least.
  ProductRate best() const;

 private:
  struct Product {
    Shape shape;
    Tensor x, weight, out;
    double seconds = 0;  // of all runs

    void run();
  };

  Clock clock_;
  std::vector<Product> products_;
  double runs_ = 0;  // of each product
};

}  // namespace skein
