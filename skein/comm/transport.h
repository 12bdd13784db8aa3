// Messages between two ranks, on which collectives are built: MPI's, and in the tests those of
// threads.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace skein {

// A message on its way. Its memory must live until it is done.
class Transfer {
 public:
  virtual ~Transfer() = default;
  // Never waits. Throws CommunicationError if the link is broken.
  virtual bool done() = 0;
};

// Made and used by one thread. Messages of one rank to another with one tag arrive in the order in
// which they were sent.
class Transport {
 public:
  // Ends it without a word to the others, unless finish() was called.
  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual std::string description() const = 0;

  // `tag`: 0 to 32767, what every MPI has. A message may be empty; both sides name the same number
  // of bytes.
  virtual std::unique_ptr<Transfer> send(int to, int tag, std::span<const std::byte> bytes) = 0;
  virtual std::unique_ptr<Transfer> receive(int from, int tag, std::span<std::byte> bytes) = 0;

  // When no message is on its way; waits until the other ranks have called it.
  virtual void finish() = 0;
};

}  // namespace skein
