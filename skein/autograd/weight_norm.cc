#include "skein/kernels/weight_norm.h"

#include <memory>
#include <utility>

#include "skein/autograd/convolution.h"

namespace skein {
namespace {

struct WeightNormRecord {
  Variable direction;
  Variable length;
  Tensor inverse_norms;
  std::shared_ptr<Gradient> weight_gradient;

  void weights() {
    auto [d_direction, accumulate_direction] = target_of(direction);
    auto [d_length, accumulate_length] = target_of(length);
    kernels::weight_norm_gradient({.direction = direction.value(),
                                   .length = length.value(),
                                   .inverse_norms = inverse_norms,
                                   .d_weight = weight_gradient->tensor(),
                                   .d_direction = d_direction,
                                   .accumulate_direction = accumulate_direction,
                                   .d_length = d_length,
                                   .accumulate_length = accumulate_length});
  }

  static std::pair<Tensor, bool> target_of(const Variable& parameter) {
    if (!parameter.needs_gradient()) return {};
    const auto target = parameter.gradient()->target(parameter.shape(), DType::kF32);
    return {target.buffer, target.accumulate};
  }
};

}  // namespace

Variable weight_norm(Tape& tape, const Variable& direction, const Variable& length) {
  Tensor weight = Tensor::uninitialized(direction.shape(), tape.activations());
  Tensor inverse_norms = Tensor::uninitialized({direction.value().rows()}, DType::kF32);
  kernels::weight_norm(direction.value(), length.value(), weight, inverse_norms);
  tape.check(weight, "weight_norm", direction);
  const Variable output(std::move(weight), tape.recording());
  if (!tape.recording()) return output;
  auto record = std::make_shared<WeightNormRecord>(
      WeightNormRecord{direction, length, std::move(inverse_norms), output.gradient()});
  tape.record({.outputs = {output.gradient()}, .inputs = nullptr, .weights = [record] {
                 record->weights();
               }});
  return output;
}

}  // namespace skein
