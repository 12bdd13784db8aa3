#include "skein/base/file_appender.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "skein/base/file_error.h"

namespace skein {

FileAppender::FileAppender(std::filesystem::path path, Existing existing) : path_(std::move(path)) {
  const int replace = existing == Existing::kReplaced ? O_TRUNC : 0;
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | replace, 0666);
  if (descriptor_ < 0) throw_file_error("write", path_, errno);
}

FileAppender::~FileAppender() { ::close(descriptor_); }

void FileAppender::append(std::string_view text) {
  const off_t before = ::lseek(descriptor_, 0, SEEK_END);  // negative for a pipe
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor_, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int reason = errno;
      // A pipe or a device cannot take back.
      [[maybe_unused]] const int taken_back = before < 0 ? -1 : ::ftruncate(descriptor_, before);
      throw_file_error("write", path_, reason);
    }
    text.remove_prefix(static_cast<size_t>(count));
  }
}

}  // namespace skein
