// A set of 64-bit hashes in at most 16 bytes a member (24 while it grows), for corpora of many
// lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace skein::internal {

class HashSet {
 public:
  // False if `hash` is there already. 0 and 1 count as the same.
  bool insert(uint64_t hash) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    if (!place(hash == kFree ? 1 : hash)) return false;
    ++size_;
    return true;
  }

 private:
  static constexpr uint64_t kFree = 0;

  bool place(uint64_t hash) {
    const size_t mask = slots_.size() - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
      if (slots_[i] == hash) return false;
      if (slots_[i] == kFree) {
        slots_[i] = hash;
        return true;
      }
    }
  }

  void grow() {
    const std::vector<uint64_t> old = std::exchange(
        slots_, std::vector<uint64_t>(slots_.empty() ? size_t{1} << 10 : 2 * slots_.size(), kFree));
    for (const uint64_t hash : old) {
      if (hash != kFree) place(hash);
    }
  }

  std::vector<uint64_t> slots_;  // a power of two
  size_t size_ = 0;
};

}  // namespace skein::internal
