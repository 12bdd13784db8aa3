// The record of a forward pass, played backwards for the gradients. There is no global graph: a
// tape is made for a step and passed to every function.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "skein/autograd/variable.h"
#include "skein/kernels/elementwise.h"

namespace skein {

class Tape {
 public:
  struct Options {
    bool record = true;               // false: values only, nothing is kept
    bool training = true;             // false: no dropout
    DType activations = DType::kF32;  // of products and stored activations; f32 or bf16
    uint64_t seed = 0;                // of this step's dropout masks
    bool check_finite = false;        // look at every function's value
    // Called by backward() whenever it has run and destroyed an operation; empty: nothing is.
    std::function<void()> after_operation = {};
  };
  explicit Tape(Options options) : options_(std::move(options)) {}

  bool recording() const { return options_.record; }
  bool training() const { return options_.training; }
  DType activations() const { return options_.activations; }

  // The mask of the next dropout: a fresh seed at every call, probability 0 outside training.
  kernels::Dropout next_dropout(double probability);

  // Called by functions with what they computed. Throws NonFiniteError, naming function and
  // parameter (may be undefined), if the tape checks and a value is not finite.
  void check(const Tensor& value, std::string_view function, const Variable& parameter) const;

  // The two halves of a function's gradient, to its inputs and to its weights; either may be empty.
  // `weights` runs after `inputs` of the same operation and may use what that computed. Both are
  // left out when nothing has arrived at any of `outputs`, which is what the function returned.
  struct Operation {
    std::vector<std::shared_ptr<Gradient>> outputs;
    std::function<void()> inputs;
    std::function<void()> weights;
  };
  void record(Operation operation);

  // Gradients of `loss` (one f32, whose own gradient is 1) to everything that needs one. Each
  // operation is destroyed, and frees what it kept, as soon as it has run. Throws Error for a loss
  // that was not recorded.
  void backward(const Variable& loss);
  // The same from any output, given the gradient that arrives there, of the output's shape and
  // type. Where there are several outputs, the others' gradients are added to them
  // (Variable::gradient) before.
  void backward(const Variable& output, Tensor gradient);
  // The same in two stages, as pipelines need it: first all gradients to inputs, later those to
  // weights. Normalisations give both in the first: they are one pass over the same values.
  void backward_inputs(const Variable& loss);
  void backward_inputs(const Variable& output, Tensor gradient);
  void backward_weights();

 private:
  void run_all();
  void run_last();
  void run_inputs();

  Options options_;
  uint64_t dropouts_ = 0;
  std::vector<Operation> operations_;
};

}  // namespace skein
