#include "apps/skein/flag_rules.h"

#include <fmt/format.h>

#include "skein/base/error.h"

namespace skein::command {

bool given(const CLI::App& command, const char* flag) {
  return command.get_option(flag)->count() > 0;
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
