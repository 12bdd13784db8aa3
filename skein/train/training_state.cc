#include "skein/train/training_state.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "skein/base/error.h"
#include "skein/base/json_problem.h"

namespace skein {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

// JSON has no NaN and no infinity; they are written as texts.
Json number_to_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

double number_from_json(const Json& json) {
  if (json.is_number()) return json.get<double>();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (json == "inf") return kInfinity;
  if (json == "-inf") return -kInfinity;
  throw FormatError(json.dump() + " is no number");
}

// nlohmann-json turns any number into an integer, whatever is lost.
int64_t whole_from_json(const Json& json) {
  if (json.is_number_unsigned() && json.get<uint64_t>() > uint64_t{1} << 53) {
    throw FormatError(json.dump() + " is too large");
  }
  if (!json.is_number_integer()) throw FormatError(json.dump() + " is no whole number");
  return json.get<int64_t>();
}

Score score_from_json(const Json& json) {
  return {.metric = json.at("metric").get<std::string>(),
          .value = number_from_json(json.at("value")),
          .larger_is_better = json.at("larger_is_better").get<bool>()};
}

TrainingState state_from_json(const Json& json) {
  const int64_t version = whole_from_json(json.at("version"));
  if (version != kVersion) {
    throw FormatError(
        fmt::format("version {}, where this program reads version {}", version, kVersion));
  }
  TrainingState state{.step = whole_from_json(json.at("step"))};
  if (state.step < 0) throw FormatError("a negative step");
  if (json.contains("score")) state.score = score_from_json(json["score"]);
  for (const auto& [owner, numbers] : json.at("numbers").items()) {
    NamedNumbers& target = state.numbers[owner];
    for (const auto& [name, value] : numbers.items()) target[name] = number_from_json(value);
  }
  return state;
}

}  // namespace

std::string to_json(const TrainingState& state) {
  Json json{{"version", kVersion}, {"step", state.step}};
  if (state.score) {
    json["score"] = {{"metric", state.score->metric},
                     {"value", number_to_json(state.score->value)},
                     {"larger_is_better", state.score->larger_is_better}};
  }
  json["numbers"] = Json::object();
  for (const auto& [owner, numbers] : state.numbers) {
    Json& target = json["numbers"][owner] = Json::object();
    for (const auto& [name, value] : numbers) target[name] = number_to_json(value);
  }
  return json.dump(2) + "\n";
}

TrainingState training_state_from_json(std::string_view text, const std::string& origin) {
  std::string problem;
  try {
    return state_from_json(Json::parse(text));
  } catch (const Json::exception& error) {
    problem = json_problem(error.what());
  } catch (const FormatError& error) {
    problem = error.what();
  }
  throw FormatError(
      fmt::format("{}: no state of a checkpoint ({}); use another checkpoint", origin, problem));
}

}  // namespace skein
