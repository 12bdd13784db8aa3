#include "apps/skein/wait_policy.h"

#include <unistd.h>

#include <array>
#include <cstdlib>

namespace skein::command {

void wait_asleep(char** argv) {
  for (const char* name : std::array{"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"}) {
    if (std::getenv(name) != nullptr) return;
  }
  if (::setenv("OMP_WAIT_POLICY", "passive", 0) != 0) return;
  ::execv("/proc/self/exe", argv);
}

}  // namespace skein::command
