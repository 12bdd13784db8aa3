// Small parameters for the tests of optimisers.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "skein/optim/flat_parameters.h"

namespace skein {

struct ExampleParameter {
  std::string name;
  Shape shape;
  std::vector<float> values;
  std::vector<float> gradient;
};

inline FlatParameters parameters_of(const std::vector<ExampleParameter>& examples) {
  FlatParameters parameters;
  int64_t size = 0;
  for (const ExampleParameter& each : examples) {
    parameters.parts.push_back({each.name, size, each.shape});
    size += each.shape.elements() + 3;  // parameters need not lie one right after another
  }
  parameters.values = Tensor::zeros({size}, DType::kF32);
  parameters.gradients = Tensor::zeros({size}, DType::kF32);
  for (size_t i = 0; i < examples.size(); ++i) {
    Tensor values = view(parameters.values, parameters.parts[i]);
    Tensor gradient = view(parameters.gradients, parameters.parts[i]);
    std::copy(examples[i].values.begin(), examples[i].values.end(), values.data<float>());
    std::copy(examples[i].gradient.begin(), examples[i].gradient.end(), gradient.data<float>());
  }
  return parameters;
}

inline FlatParameters one_parameter(std::vector<float> values, std::vector<float> gradient) {
  const auto size = static_cast<int64_t>(values.size());
  return parameters_of({{"weight", {size}, std::move(values), std::move(gradient)}});
}

enum class Half { kNo, kYes };

// A matrix, a vector and an empty one.
inline FlatParameters example_parameters(Half half) {
  std::vector<float> wave;
  for (int i = 0; i < 35; ++i) wave.push_back(std::sin(static_cast<float>(i)));
  const std::vector<float> bias(wave.begin() + 5, wave.begin() + 10);
  FlatParameters parameters = parameters_of(
      {{"encoder.weight", {5, 7}, wave, std::vector<float>(wave.rbegin(), wave.rend())},
       {"encoder.bias", {5}, bias, std::vector<float>(bias.rbegin(), bias.rend())},
       {"encoder.empty", {0, 7}, {}, {}}});
  if (half == Half::kYes) parameters.half = parameters.values.converted(DType::kBF16);
  return parameters;
}

}  // namespace skein
