// The sentence for a system call that failed on a file.
#pragma once

#include <filesystem>
#include <string_view>

namespace skein {

// Throws FileError: "cannot write corpus.en: No space left on device; free some space and run
// again". `reason` is the call's errno.
[[noreturn]] void throw_file_error(std::string_view action, const std::filesystem::path& path,
                                   int reason);

}  // namespace skein
