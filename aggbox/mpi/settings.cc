#include "aggbox/mpi/settings.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "aggbox/aggbox/error.h"

namespace aggbox::mpi {
namespace {

std::uint32_t number(const char* name, std::uint32_t otherwise, std::uint32_t least,
                     std::uint32_t most) {
  const char* text = std::getenv(name);
  if (!text || !*text) return otherwise;
  std::uint32_t value = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  if (error != std::errc() || stop != end || value < least || value > most)
    throw Error(fmt::format("{}={} is not possible; expected {} to {}", name, text, least, most));
  return value;
}

}  // namespace

Settings settings_from_environment() {
  Settings settings;
  settings.float_sums = number("AGGBOX_FLOAT", 0, 0, 1) == 1;
  settings.report = number("AGGBOX_REPORT", 0, 0, 1) == 1;
  settings.first_call_in_kernel =
      number("AGGBOX_AFTER", settings.first_call_in_kernel, 1, 1'000'000'000);
  settings.timeout_seconds =
      number("AGGBOX_TIMEOUT", settings.timeout_seconds, 1, settings.timeout_seconds);
  return settings;
}

}  // namespace aggbox::mpi
