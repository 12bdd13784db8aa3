// Keeps a second training out of a folder; gone when the process is, however it ended.
#pragma once

#include <filesystem>

namespace skein {

class FolderLock {
 public:
  // Throws FileError if another process holds the lock.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace skein
