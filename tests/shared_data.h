// Real data that lies beside a checkout in `shared/`. A test that needs it is skipped where it is
// not.
#pragma once

#include <filesystem>
#include <string_view>

namespace skein {

inline std::filesystem::path shared_path(std::string_view name) {
  return std::filesystem::path(SKEIN_SOURCE_DIR) / ".." / "shared" / name;
}

inline bool shared_available() { return std::filesystem::is_directory(shared_path("")); }

}  // namespace skein
