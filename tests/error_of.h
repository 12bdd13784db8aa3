// What a user would read of a failure.
#pragma once

#include <string>

#include "skein/base/error.h"

namespace skein {

// The sentence of the error that `action` throws; errors of other types pass.
template <typename ErrorType = Error, typename Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const ErrorType& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace skein
