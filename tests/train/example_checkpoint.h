// A small checkpoint whose values tell its step.
#pragma once

#include <filesystem>
#include <vector>

#include "skein/train/checkpoint.h"

namespace skein {

inline std::vector<NamedTensor> example_tensors(float value) {
  return {{"weight", Tensor::from(std::vector<float>{value, value + 0.5f}, {2})},
          {"bias", Tensor::from(std::vector<float>{-value}, {1})}};
}

inline CheckpointContents example_checkpoint(int64_t step,
                                             const std::filesystem::path& vocabulary) {
  CheckpointContents contents;
  contents.model.parameters = example_tensors(static_cast<float>(step));
  contents.model.config = "[model]\nname = \"tiny\"\n";
  contents.model.files = {vocabulary};
  contents.optimizer = example_tensors(static_cast<float>(-step));
  contents.state.step = step;
  return contents;
}

}  // namespace skein
