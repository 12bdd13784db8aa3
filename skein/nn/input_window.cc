#include "skein/nn/input_window.h"

#include <cstring>
#include <utility>

namespace skein {

Tensor InputWindow::push(const Tensor& x, int64_t count) {
  if (width_ == 1) return x;
  const int64_t rows = x.rows() / count;
  const auto newest = static_cast<size_t>(x.columns()) * size_of(x.type());
  const size_t older = newest * static_cast<size_t>(width_ - 1), window = older + newest;
  if (!inputs_.defined()) inputs_ = Tensor::zeros({rows, width_ * x.columns()}, x.type());
  Tensor windows =
      count == 1 ? inputs_ : Tensor::uninitialized({x.rows(), inputs_.columns()}, x.type());
  for (int64_t r = 0; r < rows; ++r) {
    std::byte* last = inputs_.raw() + static_cast<size_t>(r) * window;
    for (int64_t t = 0; t < count; ++t) {
      const auto number = static_cast<size_t>(r * count + t);
      std::memmove(last, last + newest, older);
      std::memcpy(last + older, x.raw() + number * newest, newest);
      if (count > 1) std::memcpy(windows.raw() + number * window, last, window);
    }
  }
  return windows;
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
