#include "skein/train/run_state.h"

#include <string>
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

Cursor to_cursor(const NamedNumbers& numbers) {
  const auto whole = [&numbers](const char* name) { return count_of(numbers, name, "cursor"); };
  return {.epoch = whole("epoch"), .batch = whole("batch"), .samples = whole("samples")};
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

Cursor cursor_of(const Checkpoint& checkpoint) { return to_cursor(checkpoint.numbers("cursor")); }

void share(Communicator& communicator, const RunParts& parts, StartingPoint& start) {
  const auto broadcast = [&](Tensor tensor) {
    communicator.broadcast({tensor.raw(), tensor.bytes()});
  };
  std::string state;
  if (communicator.rank() == 0) {
    state = to_json(contents_of(parts, start.updates, start.cursor).state);
  }
  const Gathered states = communicator.all_gather(std::move(state), Patience::kWhileAlive);
  broadcast(parts.model.parameters().values());
  parts.model.parameters().refresh_half();
  const TrainingState shared = training_state_from_json(states[0], "the state of rank 0");
  if (shared.step == 0) return;
  if (parts.sharded != nullptr) {
    parts.sharded->scatter_state();
  } else {
    for (const NamedTensor& each : parts.optimizer.state_tensors()) broadcast(each.values);
  }
  if (communicator.rank() == 0) return;
  start = {.updates = shared.step, .cursor = to_cursor(shared.numbers.at("cursor"))};
  parts.optimizer.restore_numbers(shared.numbers.at("optimizer"));
  parts.schedule.restore(shared.numbers.at("schedule"));
  restore(parts.validations, shared.numbers.at("progress"));
}

}  // namespace skein
