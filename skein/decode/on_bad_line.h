// What becomes of a line of input that cannot be used.
#pragma once

namespace skein {

enum class OnBadLine {
  kStop,  // throw
  kSkip,  // go on; what it would have given is empty, with the reason in JSON
};

}  // namespace skein
