// Adafactor (Shazeer & Stern 2018, algorithms 4 and 5): the mean squares of a matrix's gradient are
// kept as row and column means, so that the state is smaller than the parameters by orders of
// magnitude. Vectors are not factored. Of a parameter with more than two extents the last two are
// the matrix.
//
// Reads adafactor.* and weight_decay. With scale_parameter each parameter's rate is the given one
// times that parameter's scale; the reference overwrites the shared rate instead, so that there a
// parameter's scale also multiplies the rates of all parameters after it.
#pragma once

#include "skein/optim/optimizer.h"

namespace skein {

class Adafactor final : public Optimizer {
 public:
  Adafactor(const OptimizerOptions& options, const FlatParameters& parameters);

  void step(const UpdateStep& step) override;
  std::vector<NamedTensor> state_tensors() const override;
  NamedNumbers state_numbers() const override;
  void restore_numbers(const NamedNumbers& numbers) override;

 private:
  // State of one parameter; undefined tensors are not needed for it.
  struct State {
    Tensor rows;     // [..., rows] f32: mean square of each row
    Tensor columns;  // [..., columns] f32
    Tensor square;   // the parameter's shape, f32: in place of the two above
    Tensor average;  // the parameter's shape, f32: of past updates
  };
  struct Rates {
    double lr = 0;
    double beta2 = 0;
    double gradient_scale = 1;
  };

  void update(const FlatParameters::Part& part, State& state, const Rates& rates);
  double rate_of(const Tensor& values, double lr) const;

  AdafactorOptions options_;
  double weight_decay_;
  FlatParameters parameters_;
  std::vector<State> states_;
  Tensor scratch_;  // [elements of the largest parameter] f32
  int64_t updates_ = 0;
};

}  // namespace skein
