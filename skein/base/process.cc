#include "skein/base/process.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>

namespace skein {

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::filesystem::path own_library() {
  Dl_info self{};
  ::dladdr(reinterpret_cast<void*>(&own_library), &self);
  return self.dli_fname;
}

}  // namespace skein
