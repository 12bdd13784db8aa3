#include "skein/base/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "skein/base/error.h"

namespace skein {

void load_plugin(const std::filesystem::path& path) {
  // Without a slash dlopen() would look in the system's folders.
  const std::filesystem::path absolute = std::filesystem::absolute(path);
  void* library = ::dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw FileError(fmt::format("cannot load the plug-in {}: {}", path.string(), ::dlerror()));
  }
  auto* enter = reinterpret_cast<void (*)()>(::dlsym(library, "skein_register_plugin"));
  if (enter == nullptr) {
    ::dlclose(library);
    throw FileError(
        fmt::format("{} is no plug-in of Skein: it does not define skein_register_plugin(), see "
                    "skein/base/plugin.h",
                    path.string()));
  }
  enter();
}

}  // namespace skein
