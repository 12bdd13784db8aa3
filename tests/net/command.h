// Runs a command line as a user does.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace aggbox {

struct Outcome {
  int exit_code = 0;
  std::string output;  // both streams
};

inline Outcome run_command(const std::string& line) {
  Outcome outcome;
  std::FILE* pipe = ::popen((line + " 2>&1 </dev/null").c_str(), "r");
  std::array<char, 4096> text{};
  for (std::size_t size; (size = std::fread(text.data(), 1, text.size(), pipe)) > 0;)
    outcome.output.append(text.data(), size);
  const int status = ::pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

}  // namespace aggbox
