#include "skein/kernels/activation.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "kernels/reference.h"
#include "skein/base/error.h"

namespace skein::kernels {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double normal_cdf(double x) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); }

struct Function {
  std::function<double(double)> value, derivative;
};

Function plain(Activation kind) {
  switch (kind) {
    case Activation::kRelu:
      return {[](double x) { return std::max(x, 0.0); }, [](double x) { return x > 0 ? 1.0 : 0; }};
    case Activation::kGelu:
      return {
          [](double x) { return x * normal_cdf(x); },
          [](double x) { return normal_cdf(x) + x * std::exp(-x * x / 2) / std::sqrt(2 * M_PI); }};
    case Activation::kSilu:
      return {[](double x) { return x * sigmoid(x); },
              [](double x) { return sigmoid(x) * (1 + x * (1 - sigmoid(x))); }};
    default:
      return {[](double x) { return x; }, [](double) { return 1.0; }};
  }
}

Function plain(Gate gate) {
  if (gate == Gate::kGelu) return plain(Activation::kGelu);
  if (gate == Gate::kSilu) return plain(Activation::kSilu);
  return {sigmoid, [](double x) { return sigmoid(x) * (1 - sigmoid(x)); }};
}

constexpr Activation kActivations[] = {Activation::kNone, Activation::kRelu, Activation::kGelu,
                                       Activation::kSilu};
constexpr Gate kGates[] = {Gate::kSigmoid, Gate::kGelu, Gate::kSilu};

TEST(Activation, EqualsItsFormulaInFloat64) {
  uint64_t seed = 1;
  for (const Activation kind : kActivations) {
    const Function f = plain(kind);
    for (const DType type : kBothTypes) {
      for (const int64_t length : {0, 1, 37, 20000}) {
        const Tensor x = random_tensor({length}, type, ++seed, 3);
        const Tensor dy = random_tensor({length}, type, ++seed);
        Tensor out = Tensor::zeros({length}, type);
        std::vector<double> value = doubles(x), gradient = doubles(dy);
        for (size_t i = 0; i < value.size(); ++i) {
          gradient[i] *= f.derivative(value[i]);
          value[i] = f.value(value[i]);
        }
        activation(kind, x, out);
        expect_close(out, value, 0.1);
        activation_gradient(kind, x, dy, out);
        expect_close(out, gradient, 0.1);
      }
    }
  }
}

TEST(Activation, IsRightFarFromZero) {
  const std::vector<float> far = {-1e30f, -200, -88, -9, -5, 5, 9, 88, 200, 1e30f};
  const Tensor x = Tensor::from<float>(far, {10});
  const Tensor dy = Tensor::from<float>(std::vector<float>(10, 1), {10});
  for (const Activation kind : kActivations) {
    Tensor out = Tensor::zeros({10}, DType::kF32);
    activation(kind, x, out);
    for (size_t i = 0; i < far.size(); ++i) {
      const double expected = plain(kind).value(static_cast<double>(far[i]));
      EXPECT_NEAR(out.data<float>()[i], expected, 1e-6 * std::abs(expected) + 1e-7) << far[i];
    }
    activation_gradient(kind, x, dy, out);
    for (const double value : doubles(out)) EXPECT_FALSE(std::isnan(value));
  }
}

TEST(Activation, OfNanIsNan) {
  const Tensor x = Tensor::from<float>({std::numeric_limits<float>::quiet_NaN()}, {1});
  for (const Activation kind : kActivations) {
    Tensor out = Tensor::zeros({1}, DType::kF32);
    activation(kind, x, out);
    EXPECT_TRUE(std::isnan(out.data<float>()[0])) << static_cast<int>(kind);
  }
}

TEST(Activation, GradientSumsTheBiasOnTheWay) {
  uint64_t seed = 70;
  for (const DType type : kBothTypes) {
    for (const Shape& shape : {Shape{1, 3}, Shape{0, 7}, Shape{41, 150}}) {
      const Tensor x = random_tensor(shape, type, ++seed), dy = random_tensor(shape, type, ++seed);
      Tensor dx = Tensor::zeros(shape, type), same = dx.copy();
      Tensor d_bias = random_tensor({shape[1]}, DType::kF32, ++seed);
      std::vector<double> sums = doubles(d_bias);
      activation_gradient(Activation::kRelu, x, dy, same);
      activation_gradient(Activation::kRelu, x, dy, dx, d_bias, true);
      EXPECT_EQ(doubles(dx), doubles(same));
      const std::vector<double> gradient = doubles(dx);
      for (size_t i = 0; i < gradient.size(); ++i) {
        sums[i % static_cast<size_t>(shape[1])] += gradient[i];
      }
      expect_close(d_bias, sums, 5);
    }
  }
}

TEST(Glu, EqualsItsFormulaInFloat64) {
  uint64_t seed = 90;
  for (const Gate gate : kGates) {
    const Function f = plain(gate);
    for (const DType type : kBothTypes) {
      for (const Shape& shape : {Shape{0, 3}, Shape{1, 1}, Shape{7, 33}, Shape{50, 64}}) {
        const auto c = static_cast<size_t>(shape[1]);
        const Tensor x = random_tensor({shape[0], 2 * shape[1]}, type, ++seed);
        const Tensor dy = random_tensor(shape, type, ++seed);
        Tensor out = Tensor::zeros(shape, type), dx = Tensor::zeros(x.shape(), type);
        glu(gate, x, out);
        glu_gradient(gate, x, dy, dx);
        const std::vector<double> in = doubles(x), d = doubles(dy);
        std::vector<double> value(d.size()), gradient(in.size());
        for (size_t i = 0; i < d.size(); ++i) {
          const size_t left = i / c * 2 * c + i % c, right = left + c;
          value[i] = in[left] * f.value(in[right]);
          gradient[left] = d[i] * f.value(in[right]);
          gradient[right] = d[i] * in[left] * f.derivative(in[right]);
        }
        expect_close(out, value, 0.1);
        expect_close(dx, gradient, 0.1);
      }
    }
  }
}

TEST(Glu, RefusesAnInputThatIsNotTwiceAsWide) {
  Tensor out = Tensor::zeros({2, 3}, DType::kF32);
  EXPECT_THROW(glu(Gate::kSigmoid, Tensor::zeros({2, 5}, DType::kF32), out), ShapeError);
}

}  // namespace
}  // namespace skein::kernels
