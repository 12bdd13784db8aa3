#include "skein/autograd/tape.h"

#include <utility>

#include "skein/base/random.h"

namespace skein {
namespace {

void seed_with_one(const Variable& loss) { loss.gradient()->add(Tensor::from<float>({1.0f}, {1})); }

}  // namespace

kernels::Dropout Tape::next_dropout(double probability) {
  if (!options_.training || probability == 0) return {};
  return {static_cast<float>(probability), Random(options_.seed, dropouts_++).next_u64()};
}

void Tape::record(Operation operation) {
  if (options_.record) operations_.push_back(std::move(operation));
}

void Tape::backward(const Variable& loss) {
  seed_with_one(loss);
  while (!operations_.empty()) {
    const Operation operation = std::move(operations_.back());
    operations_.pop_back();
    if (operation.output->empty()) continue;
    if (operation.inputs) operation.inputs();
    if (operation.weights) operation.weights();
  }
}

void Tape::backward_inputs(const Variable& loss) {
  seed_with_one(loss);
  for (auto operation = operations_.rbegin(); operation != operations_.rend(); ++operation) {
    if (operation->inputs && !operation->output->empty()) operation->inputs();
    operation->inputs = nullptr;
  }
}

void Tape::backward_weights() {
  while (!operations_.empty()) {
    const Operation operation = std::move(operations_.back());
    operations_.pop_back();
    if (operation.weights && !operation.output->empty()) operation.weights();
  }
}

}  // namespace skein
