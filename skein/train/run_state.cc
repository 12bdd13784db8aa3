#include "skein/train/run_state.h"

#include <utility>
#include <vector>

#include "skein/train/load_model.h"

namespace skein {
namespace {

NamedNumbers to_numbers(const ValidationHistory& history) {
  NamedNumbers numbers = {{"validations_without_best", static_cast<double>(history.without_best)}};
  if (history.best) numbers["best"] = *history.best;
  if (history.last) numbers["watched"] = *history.last;
  return numbers;
}

void restore(ValidationHistory& history, const NamedNumbers& numbers) {
  history.without_best = count_of(numbers, "validations_without_best", "training");
  if (numbers.contains("best")) history.best = numbers.at("best");
  if (numbers.contains("watched")) history.last = numbers.at("watched");
}

NamedNumbers to_numbers(const Cursor& cursor) {
  return {{"epoch", static_cast<double>(cursor.epoch)},
          {"batch", static_cast<double>(cursor.batch)},
          {"samples", static_cast<double>(cursor.samples)}};
}

}  // namespace

CheckpointContents contents_of(const RunParts& parts, int64_t updates, const Cursor& cursor) {
  CheckpointContents contents;
  contents.optimizer = parts.optimizer.state_tensors();
  contents.state.step = updates;
  contents.state.numbers = {{"schedule", parts.schedule.state()},
                            {"optimizer", parts.optimizer.state_numbers()},
                            {"cursor", to_numbers(cursor)},
                            {"progress", to_numbers(parts.validations)}};
  std::vector<NamedTensor> parameters = named_parameters(parts.model.parameters());
  if (parts.average == nullptr) {
    contents.model.parameters = std::move(parameters);
    return contents;
  }
  // The model is the average; training goes on from the parameters themselves.
  contents.model.parameters = parts.average->averages();
  contents.parameters = std::move(parameters);
  contents.state.numbers["average"] = parts.average->state_numbers();
  return contents;
}

void restore(const RunParts& parts, const Checkpoint& checkpoint) {
  checkpoint.load_parameters(named_parameters(parts.model.parameters()));
  parts.model.parameters().refresh_half();
  checkpoint.load_optimizer(parts.optimizer.state_tensors());
  if (parts.average != nullptr) {
    checkpoint.model().load(parts.average->averages());
    parts.average->restore_numbers(checkpoint.numbers("average"));
  }
  parts.optimizer.restore_numbers(checkpoint.numbers("optimizer"));
  parts.schedule.restore(checkpoint.numbers("schedule"));
  restore(parts.validations, checkpoint.numbers("progress"));
}

Cursor cursor_of(const Checkpoint& checkpoint) {
  const NamedNumbers& numbers = checkpoint.numbers("cursor");
  const auto whole = [&numbers](const char* name) { return count_of(numbers, name, "cursor"); };
  return {.epoch = whole("epoch"), .batch = whole("batch"), .samples = whole("samples")};
}

}  // namespace skein
