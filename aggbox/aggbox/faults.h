// Faults on the wire of a lab's host, made by a seeded generator.
#pragma once

#include <cstdint>
#include <memory>

namespace aggbox {

struct FaultOptions {
  std::uint32_t host = 1;
  std::uint64_t seed = 1;
  // Shares of the AggBox packets that the host sends, 0 to 1.
  double lost = 0;
  double doubled = 0;
  double delayed = 0;    // behind the packets that follow
  double corrupted = 0;  // one bit changed
};

// From construction to destruction.
class Faults {
 public:
  // Throws Error where no lab is up.
  explicit Faults(const FaultOptions& options);
  ~Faults();
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;

  // How many packets have met one.
  std::uint64_t count() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace aggbox
