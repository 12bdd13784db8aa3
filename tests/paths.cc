#include "paths.h"

namespace skein {

std::filesystem::path source_folder() { return SKEIN_SOURCE_DIR; }
std::filesystem::path shared_folder() { return SKEIN_SHARED_DIR; }
std::filesystem::path skein_command() { return SKEIN_COMMAND; }

}  // namespace skein
