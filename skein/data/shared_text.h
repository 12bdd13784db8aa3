// Text that several ranks read whole, each from its own disk, and work on in parts: in rounds, in
// each of which every rank has one part. Reading is cheap beside normalising and splitting.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "skein/comm/communicator.h"

namespace skein::internal {

// What a rank has read so far.
class TextRead {
 public:
  void add(std::string_view line);
  std::string describe() const;  // "36 lines with checksum 1c291ca3"

 private:
  int64_t lines_ = 0;
  uint32_t checksum_ = 0;
};

// At the end of a round. Throws `error`, where it is one, as together() does; UsageError where
// ranks have read different text, which `what` ("the train split") names.
void end_round(Communicator& communicator, const std::exception_ptr& error, const std::string& what,
               const std::string& read);

}  // namespace skein::internal
