#include <memory>
#include <utility>
#include <vector>

#include "skein/autograd/functions.h"
#include "skein/kernels/embedding.h"

namespace skein {
namespace {

struct EmbedRecord {
  std::vector<int32_t> ids;
  std::vector<int32_t> position_rows;
  Variable table;
  Variable positions;
  float scale;
  kernels::Dropout dropout;
  std::shared_ptr<Gradient> y_gradient;

  kernels::Embedding arguments(const Tensor& position_values) const {
    return {ids, position_rows, table.value(), position_values, scale, dropout};
  }

  void weights() const {
    Tensor d_table = zeroed_target(table);
    Tensor d_positions = positions.needs_gradient() ? zeroed_target(positions) : Tensor();
    const Tensor none;
    kernels::embed_gradient(arguments(positions.defined() ? positions.value() : none),
                            y_gradient->tensor(), d_table, d_positions);
  }

  static Tensor zeroed_target(const Variable& parameter) {
    if (!parameter.needs_gradient()) return {};
    auto [buffer, accumulate] = parameter.gradient()->target(parameter.shape(), DType::kF32);
    if (!accumulate) buffer.fill_zero();
    return buffer;
  }
};

}  // namespace

Variable embed(Tape& tape, const EmbeddingInputs& inputs) {
  auto record = std::make_shared<EmbedRecord>(
      EmbedRecord{{inputs.ids.begin(), inputs.ids.end()},
                  {inputs.position_rows.begin(), inputs.position_rows.end()},
                  inputs.table,
                  inputs.positions,
                  static_cast<float>(inputs.scale),
                  tape.next_dropout(inputs.dropout),
                  nullptr});
  const auto rows = static_cast<int64_t>(inputs.ids.size());
  Tensor out = Tensor::uninitialized({rows, inputs.table.value().columns()}, tape.activations());
  const Tensor none;
  kernels::embed(record->arguments(inputs.positions.defined() ? inputs.positions.value() : none),
                 out);
  tape.check(out, "embed", inputs.table);
  const Variable output(std::move(out), tape.recording());
  record->y_gradient = output.gradient();
  if (tape.recording()) {
    tape.record({.outputs = {output.gradient()}, .inputs = nullptr, .weights = [record] {
                   record->weights();
                 }});
  }
  return output;
}

}  // namespace skein
