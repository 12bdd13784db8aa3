#include "apps/skein/text_output.h"

#include "apps/skein/commands.h"
#include "skein/base/files.h"

namespace skein::command {

TextOutput::TextOutput(const std::string& path, std::span<const std::filesystem::path> inputs) {
  if (path.empty()) return;
  require_not_among(path, inputs);
  file_.emplace(path, FileAppender::Existing::kReplaced);
}

void TextOutput::write(std::string_view text) {
  if (file_) {
    file_->append(text);
  } else {
    print(text);
    flush_output();
  }
}

}  // namespace skein::command
