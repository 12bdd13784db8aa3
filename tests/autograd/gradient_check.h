// Compares a differentiable function with a plain twin in double precision: the values with the
// twin's, and the gradients with central differences of the twin.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plain_functions.h"
#include "skein/autograd/tape.h"
#include "skein/base/random.h"

namespace skein {

struct CheckedInput {
  std::string name;
  Shape shape;
  bool parameter = false;  // f32 with a bf16 copy and a bound gradient, as in a ParameterStore
};

struct CheckedFunction {
  std::vector<CheckedInput> inputs;
  std::function<std::vector<Variable>(Tape&, std::span<const Variable>)> ours;
  // A vector comes as a matrix of one row.
  std::function<std::vector<plain::Matrix>(std::span<const plain::Matrix>)> twin;
  // Of the tape whose masks the twin draws too.
  uint64_t tape_seed = 7;
};

class GradientCheck {
 public:
  GradientCheck(CheckedFunction function, uint64_t seed)
      : function_(std::move(function)), random_(seed) {
    for (const CheckedInput& input : function_.inputs) values_.push_back(draw(input.shape));
    twin_outputs_ = function_.twin(values_);
    for (const plain::Matrix& output : twin_outputs_) {
      cotangents_.push_back(draw({output.rows, output.columns}));
    }
  }

  // Sentences about what is wrong; none if everything agrees.
  std::vector<std::string> disagreements() {
    compare_with_twin();
    if (complaints_.empty()) {
      compare_two_stages();
      compare_frozen_inputs();
      compare_accumulation();
      compare_bf16();
    }
    return complaints_;
  }

 private:
  enum class Stages { kOne, kTwo };
  struct Run {
    DType type = DType::kF32;
    Stages stages = Stages::kOne;
    int frozen = -1;  // the input that needs no gradient
    int passes = 1;   // backward passes into the same gradients
  };
  using Matrices = std::vector<plain::Matrix>;
  struct Result {
    Matrices outputs;
    Matrices gradients;  // one an input
  };

  // Numbers that bf16 represents, so that both precisions start from the same.
  plain::Matrix draw(const Shape& shape) {
    const int64_t columns = shape.rank() == 0 ? 1 : shape[shape.rank() - 1];
    plain::Matrix matrix(columns == 0 ? 0 : shape.elements() / columns, columns);
    for (double& value : matrix.values) {
      value =
          static_cast<double>(static_cast<float>(BFloat16(static_cast<float>(random_.normal()))));
    }
    return matrix;
  }

  static Tensor tensor_of(const plain::Matrix& matrix, const Shape& shape, DType type) {
    const std::vector<float> floats(matrix.values.begin(), matrix.values.end());
    return Tensor::from<float>(floats, shape).converted(type);
  }

  static plain::Matrix matrix_of(const Tensor& tensor) {
    const Tensor floats = tensor.converted(DType::kF32);
    const auto values = floats.values<float>();
    return {tensor.rows(), tensor.columns(), {values.begin(), values.end()}};
  }

  Variable variable(size_t index, const Run& run) const {
    const CheckedInput& input = function_.inputs[index];
    const bool frozen = static_cast<int>(index) == run.frozen;
    if (!input.parameter) {
      return Variable(tensor_of(values_[index], input.shape, run.type), !frozen);
    }
    const Variable parameter = Variable::parameter(input.name);
    // What a bound gradient holds at first counts as nothing, even if it is not a number.
    Tensor gradient = Tensor::zeros(input.shape, DType::kF32);
    std::ranges::fill(gradient.values<float>(), std::numeric_limits<float>::quiet_NaN());
    parameter.bind_parameter(tensor_of(values_[index], input.shape, DType::kF32),
                             tensor_of(values_[index], input.shape, DType::kBF16),
                             frozen ? Tensor() : gradient);
    return parameter;
  }

  Result run(const Run& how) const {
    std::vector<Variable> inputs;
    for (size_t i = 0; i < values_.size(); ++i) inputs.push_back(variable(i, how));
    Result result;
    for (int pass = 0; pass < how.passes; ++pass) {
      Tape tape({.activations = how.type, .seed = function_.tape_seed});
      const std::vector<Variable> outputs = function_.ours(tape, inputs);
      result.outputs.clear();
      for (const Variable& output : outputs) result.outputs.push_back(matrix_of(output.value()));
      backward(tape, outputs, how.stages);
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool reached = inputs[i].needs_gradient() && !inputs[i].gradient()->empty();
      result.gradients.push_back(reached ? matrix_of(inputs[i].gradient()->tensor())
                                         : plain::Matrix(values_[i].rows, values_[i].columns));
    }
    return result;
  }

  void backward(Tape& tape, const std::vector<Variable>& outputs, Stages stages) const {
    const auto cotangent = [&](size_t i) {
      return tensor_of(cotangents_[i], outputs[i].shape(), outputs[i].value().type());
    };
    if (!outputs[0].needs_gradient()) return;
    for (size_t i = 1; i < outputs.size(); ++i) outputs[i].gradient()->add(cotangent(i));
    if (stages == Stages::kOne) {
      tape.backward(outputs[0], cotangent(0));
    } else {
      tape.backward_inputs(outputs[0], cotangent(0));
      tape.backward_weights();
    }
  }

  double twin_sum(const Matrices& values) const {
    const Matrices outputs = function_.twin(values);
    double sum = 0;
    for (size_t i = 0; i < outputs.size(); ++i) {
      for (size_t j = 0; j < outputs[i].values.size(); ++j) {
        sum += cotangents_[i].values[j] * outputs[i].values[j];
      }
    }
    return sum;
  }

  // Of the twin's outputs times the cotangents. In double precision a step of 1e-5 leaves an error
  // of about 1e-10.
  plain::Matrix central_differences(size_t input) const {
    constexpr double kStep = 1e-5;
    Matrices moved = values_;
    plain::Matrix gradient = values_[input];
    for (size_t j = 0; j < gradient.values.size(); ++j) {
      double& value = moved[input].values[j];
      const double centre = value;
      value = centre + kStep;
      const double above = twin_sum(moved);
      value = centre - kStep;
      gradient.values[j] = (above - twin_sum(moved)) / (2 * kStep);
      value = centre;
    }
    return gradient;
  }

  void compare_with_twin() {
    const Result ours = run({});
    for (size_t i = 0; i < twin_outputs_.size(); ++i) {
      require_close(ours.outputs[i], twin_outputs_[i], 1e-5, fmt::format("output {}", i));
    }
    for (size_t i = 0; i < values_.size(); ++i) {
      require_close(ours.gradients[i], central_differences(i), 1e-4,
                    "the gradient to " + function_.inputs[i].name);
    }
  }

  void compare_two_stages() {
    const Result one = run({}), two = run({.stages = Stages::kTwo});
    for (size_t i = 0; i < values_.size(); ++i) {
      require_equal(two.gradients[i], one.gradients[i],
                    "in two stages, the gradient to " + function_.inputs[i].name);
    }
  }

  void compare_frozen_inputs() {
    const Result all = run({});
    for (size_t frozen = 0; frozen < values_.size(); ++frozen) {
      const Result some = run({.frozen = static_cast<int>(frozen)});
      for (size_t i = 0; i < values_.size(); ++i) {
        if (i == frozen) continue;
        require_equal(some.gradients[i], all.gradients[i],
                      fmt::format("with {} frozen, the gradient to {}",
                                  function_.inputs[frozen].name, function_.inputs[i].name));
      }
    }
  }

  void compare_accumulation() {
    const Result once = run({});
    const Result twice = run({.passes = 2});
    for (size_t i = 0; i < values_.size(); ++i) {
      plain::Matrix expected = once.gradients[i];
      for (double& value : expected.values) value *= 2;
      require_close(twice.gradients[i], expected, 1e-5,
                    "after two passes, the gradient to " + function_.inputs[i].name);
    }
  }

  // 8 bits of precision, through sums and a few functions: 2 % of the norm of the whole.
  void compare_bf16() {
    constexpr double kBound = 0.02;
    const Result wide = run({}), narrow = run({.type = DType::kBF16});
    for (size_t i = 0; i < wide.outputs.size(); ++i) {
      require_small_distance(narrow.outputs[i], wide.outputs[i], kBound,
                             fmt::format("in bf16, output {}", i));
    }
    for (size_t i = 0; i < values_.size(); ++i) {
      require_small_distance(narrow.gradients[i], wide.gradients[i], kBound,
                             "in bf16, the gradient to " + function_.inputs[i].name);
    }
  }

  bool require_shape(const plain::Matrix& actual, const plain::Matrix& expected,
                     const std::string& what) {
    if (actual.values.size() == expected.values.size()) return true;
    complaints_.push_back(fmt::format("{} has {} elements, {} are expected", what,
                                      actual.values.size(), expected.values.size()));
    return false;
  }

  void require_close(const plain::Matrix& actual, const plain::Matrix& expected, double tolerance,
                     const std::string& what) {
    if (!require_shape(actual, expected, what)) return;
    double largest = 0.01;
    for (const double value : expected.values) largest = std::max(largest, std::abs(value));
    for (size_t j = 0; j < expected.values.size(); ++j) {
      const double difference = std::abs(actual.values[j] - expected.values[j]);
      if (difference <= tolerance * largest) continue;  // false for NaN
      complaints_.push_back(fmt::format("{}: element {} is {}, {} is expected", what, j,
                                        actual.values[j], expected.values[j]));
      return;
    }
  }

  void require_equal(const plain::Matrix& actual, const plain::Matrix& expected,
                     const std::string& what) {
    if (actual.values != expected.values) complaints_.push_back(what + " is another one");
  }

  void require_small_distance(const plain::Matrix& actual, const plain::Matrix& expected,
                              double bound, const std::string& what) {
    if (!require_shape(actual, expected, what)) return;
    double distance = 0, norm = 0;
    for (size_t j = 0; j < expected.values.size(); ++j) {
      distance += std::pow(actual.values[j] - expected.values[j], 2);
      norm += std::pow(expected.values[j], 2);
    }
    distance = std::sqrt(distance);
    norm = std::sqrt(norm);
    if (distance <= bound * std::max(norm, 0.01)) return;
    complaints_.push_back(fmt::format("{} is {} away from one of length {}", what, distance, norm));
  }

  CheckedFunction function_;
  Random random_;
  Matrices values_;
  Matrices twin_outputs_;
  Matrices cotangents_;
  std::vector<std::string> complaints_;
};

inline std::vector<std::string> disagreements(CheckedFunction function, uint64_t seed) {
  return GradientCheck(std::move(function), seed).disagreements();
}

}  // namespace skein
