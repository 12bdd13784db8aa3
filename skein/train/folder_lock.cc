#include "skein/train/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "skein/base/error.h"
#include "skein/base/file_error.h"

namespace skein {

FolderLock::FolderLock(const std::filesystem::path& folder) {
  descriptor_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0) throw_file_error("open", folder, errno);
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  const int reason = errno;
  ::close(descriptor_);
  // A file system without locks (some network mounts) guards nothing, and refuses nothing.
  if (reason != EWOULDBLOCK) {
    descriptor_ = -1;
    return;
  }
  throw FileError(
      fmt::format("another training writes to {}; wait for its end or choose another --output",
                  folder.string()));
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace skein
