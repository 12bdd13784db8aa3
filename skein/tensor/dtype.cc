#include "skein/tensor/dtype.h"

namespace skein {

size_t size_of(DType type) {
  switch (type) {
    case DType::kF32:
    case DType::kI32:
      return 4;
    case DType::kBF16:
      return 2;
    case DType::kI64:
      return 8;
    case DType::kS8:
    case DType::kU8:
      return 1;
  }
  return 0;
}

std::string_view name_of(DType type) {
  switch (type) {
    case DType::kF32:
      return "f32";
    case DType::kBF16:
      return "bf16";
    case DType::kI32:
      return "i32";
    case DType::kI64:
      return "i64";
    case DType::kS8:
      return "s8";
    case DType::kU8:
      return "u8";
  }
  return "unknown";
}

}  // namespace skein
