#include "cli/shell.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <system_error>

#include "paths.h"
#include "skein/base/error.h"
#include "skein/base/files.h"

extern char** environ;

namespace skein {
namespace fs = std::filesystem;

ShellResult run_shell(const std::string& line, const fs::path& folder) {
  return StartedShell(line, folder, /*own_group=*/false).wait();
}

StartedShell::StartedShell(const std::string& line, const fs::path& folder)
    : StartedShell(line, folder, /*own_group=*/true) {}

StartedShell::StartedShell(const std::string& line, const fs::path& folder, bool own_group) {
  static std::atomic<int> started{0};
  out_file_ =
      fs::temp_directory_path() / fmt::format("skein_shell_{}_{}.out", ::getpid(), started++);
  error_file_ = fs::path(out_file_).replace_extension(".err");
  std::string script = "PATH='" + skein_command().parent_path().string() + "':$PATH\n";
  if (!folder.empty()) script += "cd '" + folder.string() + "' || exit\n";
  script += line;

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (own_group) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kCreate = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out_file_.c_str(), kCreate, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, error_file_.c_str(), kCreate, 0600);
  std::string shell = "bash";
  std::string option = "-c";
  const std::array<char*, 4> arguments = {shell.data(), option.data(), script.data(), nullptr};
  const int failed =
      posix_spawn(&id_, "/bin/bash", &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) throw Error("cannot start /bin/bash");
}

StartedShell::~StartedShell() {
  if (!ended_) {
    ::kill(-id_, SIGKILL);
    ::waitpid(id_, &status_, 0);
  }
  std::error_code ignored;
  fs::remove(out_file_, ignored);
  fs::remove(error_file_, ignored);
}

std::string StartedShell::error() const {
  return fs::exists(error_file_) ? read_file(error_file_) : "";
}

bool StartedShell::ended() {
  if (!ended_) ended_ = ::waitpid(id_, &status_, WNOHANG) == id_;
  return ended_;
}

ShellResult StartedShell::wait() {
  if (!ended_) ::waitpid(id_, &status_, 0);
  ended_ = true;
  ShellResult result;
  result.exit_code = WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
  result.out = read_file(out_file_);
  result.error = read_file(error_file_);
  return result;
}

}  // namespace skein
