#include "apps/skein/flag_rules.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>

#include "skein/base/error.h"

namespace skein::command {

bool given(const CLI::App& command, const char* flag) {
  return command.get_option(flag)->count() > 0;
}

CLI::Validator whole_number() {
  return {[](const std::string& text) -> std::string {
            uint64_t value = 0;
            const char* end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, value);
            if (error == std::errc() && stop == end) return "";
            return fmt::format("'{}' is no whole number from 0 to {}", text,
                               std::numeric_limits<uint64_t>::max());
          },
          ""};
}

void refuse_together(const CLI::App& command, std::span<const FlagPair> pairs) {
  for (const FlagPair& pair : pairs) {
    if (!given(command, pair.flag) || !given(command, pair.other)) continue;
    throw UsageError(
        fmt::format("{} and {} exclude each other: {}", pair.flag, pair.other, pair.reason));
  }
}

void require_together(const CLI::App& command, std::span<const FlagPair> pairs) {
  for (const FlagPair& pair : pairs) {
    if (!given(command, pair.flag) || given(command, pair.other)) continue;
    throw UsageError(fmt::format("{} needs {}: {}", pair.flag, pair.other, pair.reason));
  }
}

}  // namespace skein::command
