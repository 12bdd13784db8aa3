// What training must know to go on, beside tensors and settings: `state.json` of a checkpoint.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "skein/optim/named_numbers.h"

namespace skein {

// A validation's result, by which the best checkpoints are chosen.
struct Score {
  std::string metric;  // "loss"
  double value = 0;
  bool larger_is_better = false;

  bool better_than(const Score& other) const {
    return larger_is_better ? value > other.value : value < other.value;
  }
};

struct TrainingState {
  int64_t step = 0;  // updates made
  std::optional<Score> score = {};
  // By owner: "schedule", "optimizer", "cursor", ...
  std::map<std::string, NamedNumbers> numbers = {};
};

// Reads back to the same numbers, to the bit.
std::string to_json(const TrainingState& state);

// Throws FormatError, beginning with `origin`, for anything but what to_json writes.
TrainingState training_state_from_json(std::string_view text, const std::string& origin);

}  // namespace skein
