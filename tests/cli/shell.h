// Runs command lines as a user types them.
#pragma once

#include <filesystem>
#include <string>

namespace skein {

struct ShellResult {
  int exit_code = 0;  // 128 + the signal's number when a signal ended the shell
  std::string out;
  std::string error;
};

// Runs `line` in /bin/bash with the `skein` of this build first in PATH, in `folder` (empty: the
// current one).
ShellResult run_shell(const std::string& line, const std::filesystem::path& folder = {});

}  // namespace skein
