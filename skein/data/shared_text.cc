#include "skein/data/shared_text.h"

#include <fmt/format.h>

#include <span>

#include "skein/base/checksum.h"
#include "skein/comm/agreement.h"

namespace skein::internal {

void TextRead::add(std::string_view line) {
  ++lines_;
  checksum_ = crc32(std::as_bytes(std::span(line)), checksum_);
  const char end = '\n';
  checksum_ = crc32(std::as_bytes(std::span(&end, 1)), checksum_);
}

std::string TextRead::describe() const {
  return fmt::format("{} lines with checksum {:08x}", lines_, checksum_);
}

void end_round(Communicator& communicator, const std::exception_ptr& error, const std::string& what,
               const std::string& read) {
  together(communicator, [&error] {
    if (error) std::rethrow_exception(error);
  });
  require_alike(communicator, {{"the text of " + what + " up to here", read}});
}

}  // namespace skein::internal
