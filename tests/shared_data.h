// Data that lies beside the checkout, not in it. A test that needs it skips where it is missing.
#pragma once

#include <filesystem>
#include <string_view>

#include "paths.h"

namespace skein {

inline std::filesystem::path shared_path(std::string_view name) { return shared_folder() / name; }

inline bool shared_available(std::string_view name = "") {
  return std::filesystem::exists(shared_path(name));
}

}  // namespace skein
