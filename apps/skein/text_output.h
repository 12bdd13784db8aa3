// Where a filter's text goes: standard output, or a file that grows as it is written, so that
// nothing is lost of hours of work if they end early.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "skein/base/file_appender.h"

namespace skein::command {

class TextOutput {
 public:
  // `path` empty: standard output. Throws UsageError if it is one of the `inputs`, FileError if the
  // file cannot be written.
  explicit TextOutput(const std::string& path, std::span<const std::filesystem::path> inputs);

  // Passes the text on at once. Throws FileError as FileAppender does, OutputClosed as print()
  // does.
  void write(std::string_view text);

 private:
  std::optional<FileAppender> file_;
};

}  // namespace skein::command
