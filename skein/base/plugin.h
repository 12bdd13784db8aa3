// Shared libraries of users that add models, criteria, optimisers, schedules or tokenisers of their
// own to the registries (skein/base/registry.h). examples/plugin_model is one.
#pragma once

#include <filesystem>

// What a plug-in defines: it adds its entries to the registries.
extern "C" void skein_register_plugin();

namespace skein {

// Loads the library, which stays loaded, and calls its skein_register_plugin(). Throws FileError if
// it is missing, no shared library, linked with another version of Skein, or defines no such
// function; passes on what the function throws (UsageError for a name that is taken).
void load_plugin(const std::filesystem::path& path);

}  // namespace skein
