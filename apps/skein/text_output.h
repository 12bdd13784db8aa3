// Where a filter's text goes: standard output, or a file that grows as it is written, so that
// nothing is lost of hours of work if they end early.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace skein::command {

class TextOutput {
 public:
  // `path` empty: standard output. Throws FileError if the file cannot be written.
  explicit TextOutput(const std::string& path);

  // Passes the text on at once. Throws FileError (a full disk, say), OutputClosed as print() does.
  void write(std::string_view text);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace skein::command
