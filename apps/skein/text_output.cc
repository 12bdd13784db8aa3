#include "apps/skein/text_output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "apps/skein/commands.h"
#include "skein/base/error.h"

namespace skein::command {

TextOutput::TextOutput(const std::string& path) : path_(path) {
  if (path_.empty()) return;
  file_.reset(std::fopen(path_.c_str(), "we"));
  if (!file_) throw FileError(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
}

void TextOutput::write(std::string_view text) {
  if (!file_) {
    print(text);
    flush_output();
    return;
  }
  const bool written = std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size();
  if (!written || std::fflush(file_.get()) != 0) {
    throw FileError(fmt::format("cannot write {}: {}; what was written before is whole", path_,
                                std::strerror(errno)));
  }
}

}  // namespace skein::command
