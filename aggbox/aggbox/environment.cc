#include "aggbox/aggbox/environment.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "aggbox/aggbox/error.h"

namespace aggbox {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  if (!value)
    throw Error(
        fmt::format("the environment has no {}; `aggbox lab run -- COMMAND` sets it", name));
  return value;
}

std::uint32_t number(const char* name) {
  const std::string text = variable(name);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw Error(fmt::format("{}={} is not a number", name, text));
  }
  return value;
}

}  // namespace

GroupOptions options_from_environment() {
  return {.interface = variable("AGGBOX_INTERFACE"),
          .coordinator = variable("AGGBOX_COORDINATOR"),
          .rank = number("AGGBOX_RANK"),
          .size = number("AGGBOX_SIZE")};
}

}  // namespace aggbox
