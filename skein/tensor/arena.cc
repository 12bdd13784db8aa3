#include "skein/tensor/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define SKEIN_KEEP_BLOCKS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SKEIN_KEEP_BLOCKS 0
#endif
#endif
#ifndef SKEIN_KEEP_BLOCKS
#define SKEIN_KEEP_BLOCKS 1
#endif

namespace skein {
namespace {

// With the address sanitizer every block goes back at once, so that it sees a use after the end.
constexpr bool kKeepBlocks = SKEIN_KEEP_BLOCKS != 0;
constexpr size_t kAlignment = 64;
constexpr size_t kHugePage = size_t{2} << 20;

// Eight sizes between two powers of two: at most an eighth is wasted, and the token counts of
// successive batches, which differ a little, share blocks.
size_t block_size(size_t bytes) {
  if (bytes <= kAlignment) return kAlignment;
  const size_t step = std::max(kAlignment, std::bit_floor(bytes - 1) / 8);
  return (bytes + step - 1) / step * step;
}

class Arena {
 public:
  std::byte* take(size_t size) {
    const std::lock_guard lock(mutex_);
    statistics_.in_use += size;
    statistics_.peak = std::max(statistics_.peak, statistics_.in_use);
    const auto kept = kept_.find(size);
    if (kept != kept_.end() && !kept->second.empty()) {
      std::byte* block = kept->second.back();
      kept->second.pop_back();
      return block;
    }
    return fresh(size);
  }

  void give(std::byte* block, size_t size) {
    const std::lock_guard lock(mutex_);
    statistics_.in_use -= size;
    if (kKeepBlocks) {
      kept_[size].push_back(block);
    } else {
      release(block, size);
    }
  }

  ArenaStatistics statistics() {
    const std::lock_guard lock(mutex_);
    return statistics_;
  }

  void reset_peak() {
    const std::lock_guard lock(mutex_);
    statistics_.peak = statistics_.in_use;
  }

  void trim() {
    const std::lock_guard lock(mutex_);
    for (auto& [size, blocks] : kept_) {
      for (std::byte* block : blocks) release(block, size);
    }
    kept_.clear();
  }

 private:
  std::byte* fresh(size_t size) {
    const size_t alignment = size >= kHugePage ? kHugePage : kAlignment;
    void* block = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (block == nullptr) {
      statistics_.in_use -= size;
      throw std::bad_alloc();
    }
    if (size >= kHugePage) ::madvise(block, size, MADV_HUGEPAGE);
    statistics_.reserved += size;
    return static_cast<std::byte*>(block);
  }

  void release(std::byte* block, size_t size) {
    std::free(block);
    statistics_.reserved -= size;
  }

  std::mutex mutex_;
  std::map<size_t, std::vector<std::byte*>> kept_;
  ArenaStatistics statistics_;
};

// One a process, as the heap is; never destroyed, since tensors may outlive static objects.
Arena& arena() {
  static Arena& instance = *new Arena;
  return instance;
}

}  // namespace

std::shared_ptr<std::byte[]> allocate_tensor_memory(size_t bytes) {
  const size_t size = block_size(bytes);
  return {arena().take(size), [size](std::byte* block) { arena().give(block, size); }};
}

ArenaStatistics arena_statistics() { return arena().statistics(); }
void reset_arena_peak() { arena().reset_peak(); }
void trim_arena() { arena().trim(); }

}  // namespace skein
