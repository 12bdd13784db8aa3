#include "apps/skein/wait_policy.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace skein::command {

void wait_asleep(char** argv) {
  for (const char* name : std::array{"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"}) {
    if (std::getenv(name) != nullptr) return;
  }
  if (::setenv("OMP_WAIT_POLICY", "passive", 0) != 0) return;
  // By its own path: a program that is started as /proc/self/exe is listed as "exe".
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) ::execv(self.c_str(), argv);
}

}  // namespace skein::command
