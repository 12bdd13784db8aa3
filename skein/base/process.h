// Where and what this process is.
#pragma once

#include <filesystem>
#include <string>

namespace skein {

// The name of this machine.
std::string host_name();
// The file that this library's code was loaded from.
std::filesystem::path own_library();

}  // namespace skein
