// A file that grows while others may read it, such as a log.
#pragma once

#include <filesystem>
#include <string_view>

namespace skein {

class FileAppender {
 public:
  enum class Existing { kKept, kReplaced };

  // Creates the file where it is missing. Throws FileError.
  explicit FileAppender(std::filesystem::path path, Existing existing = Existing::kKept);
  ~FileAppender();
  FileAppender(const FileAppender&) = delete;
  FileAppender& operator=(const FileAppender&) = delete;

  // The text is in the file when this returns: a killed program loses none of it. Throws FileError,
  // when the disk is full say, and then leaves no part of `text`.
  void append(std::string_view text);

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace skein
