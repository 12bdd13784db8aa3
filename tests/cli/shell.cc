#include "cli/shell.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "paths.h"
#include "skein/base/error.h"
#include "skein/base/files.h"

extern char** environ;

namespace skein {
namespace fs = std::filesystem;

ShellResult run_shell(const std::string& line, const fs::path& folder) {
  const fs::path out =
      fs::temp_directory_path() / ("skein_shell_" + std::to_string(::getpid()) + ".out");
  const fs::path error = fs::path(out).replace_extension(".err");
  std::string script = "PATH='" + skein_command().parent_path().string() + "':$PATH\n";
  if (!folder.empty()) script += "cd '" + folder.string() + "' || exit\n";
  script += line;

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kCreate = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), kCreate, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, error.c_str(), kCreate, 0600);
  std::string shell = "bash";
  std::string option = "-c";
  const std::array<char*, 4> arguments = {shell.data(), option.data(), script.data(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawn(&child, "/bin/bash", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw Error("cannot start /bin/bash");

  int status = 0;
  ::waitpid(child, &status, 0);
  ShellResult result;
  result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result.out = read_file(out);
  result.error = read_file(error);
  fs::remove(out);
  fs::remove(error);
  return result;
}

}  // namespace skein
