#include "aggbox/mpi/settings.h"

#include <fmt/format.h>
#include <net/if.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "aggbox/aggbox/dispatcher.h"
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

std::string interface_of_this_host() {
  if (const char* name = std::getenv("AGGBOX_INTERFACE"); name && *name) return name;
  const std::unique_ptr<struct if_nameindex[], decltype(&::if_freenameindex)> interfaces(
      ::if_nameindex(), ::if_freenameindex);
  std::string found;
  for (const struct if_nameindex* one = interfaces.get(); one && one->if_index != 0; ++one) {
    if (!DispatcherEntry::is_up(one->if_name)) continue;
    if (!found.empty()) {
      throw UnavailableError(
          fmt::format("AggBox is up on '{}' and on '{}'; set AGGBOX_INTERFACE to one of them",
                      found, one->if_name));
    }
    found = one->if_name;
  }
  if (found.empty())
    throw UnavailableError(
        "AggBox is not up on any interface; run `aggbox up --interface NAME` on every host");
  return found;
}

}  // namespace aggbox::mpi
