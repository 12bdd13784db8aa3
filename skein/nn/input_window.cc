#include "skein/nn/input_window.h"

#include <cstring>
#include <utility>

namespace skein {

const Tensor& InputWindow::push(const Tensor& x) {
  if (width_ == 1) return inputs_ = x;
  const int64_t rows = x.rows(), inputs = x.columns();
  if (!inputs_.defined()) inputs_ = Tensor::zeros({rows, width_ * inputs}, x.type());
  const auto newest = static_cast<size_t>(inputs) * size_of(x.type());
  const size_t older = newest * static_cast<size_t>(width_ - 1);
  for (int64_t r = 0; r < rows; ++r) {
    std::byte* row = inputs_.raw() + static_cast<size_t>(r) * (older + newest);
    std::memmove(row, row + newest, older);
    std::memcpy(row + older, x.raw() + static_cast<size_t>(r) * newest, newest);
  }
  return inputs_;
}

void InputWindow::select(std::span<const int32_t> rows) {
  if (width_ == 1 || !inputs_.defined()) return;
  Tensor chosen =
      Tensor::uninitialized({static_cast<int64_t>(rows.size()), inputs_.columns()}, inputs_.type());
  const size_t bytes = static_cast<size_t>(inputs_.columns()) * size_of(inputs_.type());
  for (size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(chosen.raw() + i * bytes, inputs_.raw() + static_cast<size_t>(rows[i]) * bytes,
                bytes);
  }
  inputs_ = std::move(chosen);
}

}  // namespace skein
