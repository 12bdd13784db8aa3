#include "skein/base/file_error.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "skein/base/error.h"

namespace skein {
namespace {

std::string_view remedy_for(int reason) {
  switch (reason) {
    case ENOENT:
      return "; check the name";
    case EACCES:
      return "; check the permissions";
    case EISDIR:
      return "; name a file in it";
    case ENOSPC:
    case EDQUOT:
      return "; free some space and run again";
    default:
      return "";
  }
}

}  // namespace

void throw_file_error(std::string_view action, const std::filesystem::path& path, int reason) {
  throw FileError(fmt::format("cannot {} {}: {}{}", action, path.string(), std::strerror(reason),
                              remedy_for(reason)));
}

}  // namespace skein
