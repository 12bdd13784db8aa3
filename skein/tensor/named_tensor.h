// A tensor and what it is called in files: a parameter, or a part of an optimiser's state.
#pragma once

#include <string>

#include "skein/tensor/tensor.h"

namespace skein {

struct NamedTensor {
  std::string name;  // "encoder.embedding"
  Tensor values;     // shares its memory: writing to it changes the parameter
};

}  // namespace skein
