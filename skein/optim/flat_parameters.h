// What optimisers work on: all parameters in flat buffers, and where each one lies in them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "skein/tensor/named_tensor.h"

namespace skein {

struct FlatParameters {
  struct Part {
    std::string name;
    int64_t offset = 0;  // of its first element in the buffers
    Shape shape = {};
  };

  std::vector<Part> parts = {};
  Tensor values = {};     // [size] f32
  Tensor gradients = {};  // [size] f32
  Tensor half = {};       // [size] bf16 copy of the values; may be undefined
};

// The part's view of a flat buffer.
inline Tensor view(const Tensor& flat, const FlatParameters::Part& part) {
  return flat.view(part.offset, part.shape);
}

// Every parameter's view of a flat buffer under the parameter's name, as files store it.
inline std::vector<NamedTensor> named_views(const FlatParameters& parameters, const Tensor& flat) {
  std::vector<NamedTensor> views;
  for (const FlatParameters::Part& part : parameters.parts) {
    views.push_back({part.name, view(flat, part)});
  }
  return views;
}

}  // namespace skein
