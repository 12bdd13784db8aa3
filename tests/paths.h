// Where the checkout, the data beside it and the built command are. In one source file, so that the
// other tests compile to the same objects in every checkout, which a compiler cache then has
// already.
#pragma once

#include <filesystem>

namespace skein {

std::filesystem::path source_folder();
std::filesystem::path shared_folder();
std::filesystem::path skein_command();

}  // namespace skein
