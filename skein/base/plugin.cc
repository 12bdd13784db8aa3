#include "skein/base/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "skein/base/error.h"

namespace skein {

void load_plugin(const std::filesystem::path& path) {
  // A bare name would be looked up in the system's folders.
  const std::string name = std::filesystem::absolute(path).string();
  if (void* open = ::dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD); open != nullptr) {
    ::dlclose(open);
    return;
  }
  void* library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw FileError(fmt::format("cannot open the plug-in: {}", ::dlerror()));
  const auto function = reinterpret_cast<void (*)()>(::dlsym(library, kPluginFunction));
  if (function == nullptr) {
    ::dlclose(library);
    throw FormatError(fmt::format("{} is no plug-in: it does not define extern \"C\" void {}()",
                                  path.string(), kPluginFunction));
  }
  function();
}

}  // namespace skein
