#include "aggbox/aggbox/environment.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <string>
#include <vector>

#include "aggbox/aggbox/dispatcher.h"
#include "aggbox/aggbox/doctor.h"
#include "aggbox/aggbox/error.h"
#include "aggbox/aggbox/interface.h"

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

Path path() {
  const char* value = std::getenv("AGGBOX_PATH");
  const std::string text = value ? value : "";
  if (text.empty()) return Path::kAny;
  if (text == "kernel") return Path::kKernel;
  if (text == "tcp") return Path::kTcp;
  throw Error(fmt::format("AGGBOX_PATH={} is not a path; expected kernel or tcp", text));
}

}  // namespace

std::string usable_interface() {
  if (const std::string fault = first_fault(); !fault.empty()) throw UnavailableError(fault);
  std::string interface;
  if (const char* name = std::getenv("AGGBOX_INTERFACE"); name && *name) {
    interface = name;
  } else {
    const std::vector<std::string> up = interfaces_up();
    if (up.empty()) {
      throw UnavailableError(
          "AggBox is not up on any interface; run `aggbox up --interface NAME` on every host");
    }
    if (up.size() > 1) {
      throw UnavailableError(fmt::format(
          "AggBox is up on '{}' and on '{}'; set AGGBOX_INTERFACE to one of them", up[0], up[1]));
    }
    interface = up[0];
  }
  find_interface(interface);
  if (!DispatcherEntry::is_up(interface)) {
    throw UnavailableError(
        fmt::format("interface '{}' is not up for AggBox; run `aggbox up --interface {}` there",
                    interface, interface));
  }
  return interface;
}

GroupOptions options_from_environment() {
  return {.interface = variable("AGGBOX_INTERFACE"),
          .coordinator = variable("AGGBOX_COORDINATOR"),
          .rank = number("AGGBOX_RANK"),
          .size = number("AGGBOX_SIZE"),
          .path = path()};
}

}  // namespace aggbox
