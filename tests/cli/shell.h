// Runs command lines as a user types them.
#pragma once

#include <sys/types.h>

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

// The same, meanwhile: the shell leads a process group of its own, which the destructor kills
// unless wait() was called. A `line` that begins with exec makes id() that command's.
class StartedShell {
 public:
  explicit StartedShell(const std::string& line, const std::filesystem::path& folder = {});
  StartedShell(const StartedShell&) = delete;
  StartedShell& operator=(const StartedShell&) = delete;
  ~StartedShell();

  pid_t id() const { return id_; }
  // What it has written to its standard error up to now.
  std::string error() const;
  bool ended();
  ShellResult wait();

 private:
  friend ShellResult run_shell(const std::string& line, const std::filesystem::path& folder);
  StartedShell(const std::string& line, const std::filesystem::path& folder, bool own_group);

  std::filesystem::path out_file_;
  std::filesystem::path error_file_;
  pid_t id_ = 0;
  int status_ = 0;
  bool ended_ = false;
};

}  // namespace skein
