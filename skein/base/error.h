// The exceptions of Skein. Each carries the one sentence that the user reads: what was found,
// where, what was expected and what to do.
#pragma once

#include <stdexcept>
#include <string>

namespace skein {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A wrong command, flag or setting. The command exits with 2; with 1 for every other Error.
class UsageError : public Error {
 public:
  using Error::Error;
};

// A file that is missing, unreadable, unwritable, or a disk that is full.
class FileError : public Error {
 public:
  using Error::Error;
};

// Content that does not follow its format; the message begins with file:line or file:byte.
class FormatError : public Error {
 public:
  using Error::Error;
};

// A tensor whose shape or type does not fit the operation.
class ShapeError : public Error {
 public:
  using Error::Error;
};

// A number that is NaN or infinite where it must not be.
class NonFiniteError : public Error {
 public:
  using Error::Error;
};

}  // namespace skein
