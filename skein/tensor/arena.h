// The memory of tensors: blocks of a few sizes that are kept for reuse, since asking the system for
// fresh pages at every step costs more than the arithmetic on them (512 MB: about 300 ms against
// 10).
#pragma once

#include <cstddef>
#include <memory>

namespace skein {

// Bytes of 64-byte aligned, uninitialised memory. Returned to the arena with the last owner.
// Throws std::bad_alloc when the system has no more.
std::shared_ptr<std::byte[]> allocate_tensor_memory(size_t bytes);

struct ArenaStatistics {
  size_t in_use = 0;    // bytes that tensors hold now
  size_t peak = 0;      // most that they held since the last reset_arena_peak()
  size_t reserved = 0;  // bytes taken from the system, in use or kept
};
ArenaStatistics arena_statistics();
void reset_arena_peak();
// Gives kept blocks back to the system.
void trim_arena();

}  // namespace skein
