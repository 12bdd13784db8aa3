// Shared libraries that add models, criteria, optimisers, schedules or tokenisers.
#pragma once

#include <filesystem>

namespace skein {

// What a plug-in defines: `extern "C" void skein_plugin(void)` adds its entries to the registries.
inline constexpr const char* kPluginFunction = "skein_plugin";

// Opens the library, for as long as the program runs, and calls its function; a second time does
// nothing. Throws FileError if it cannot be opened, FormatError if it has no such function, and
// what the function throws.
void load_plugin(const std::filesystem::path& path);

}  // namespace skein
