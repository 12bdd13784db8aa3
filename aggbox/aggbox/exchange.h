// What one collective sends and gets, chunk by chunk: the pipeline moves chunks and does not know
// what is in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "aggbox/bpf/wire.h"

namespace aggbox {

class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual std::size_t chunks() const = 0;
  virtual aggbox_operation operation() const = 0;
  // Length in words, whole blocks; the same on all ranks.
  virtual std::size_t words(std::size_t chunk) const = 0;
  // Writes this rank's contribution, words(chunk) words. May be called again until get() of the
  // chunk, and must write the same.
  virtual void put(std::size_t chunk, std::uint64_t* words) const = 0;
  // Takes the sum over all ranks.
  virtual void get(std::size_t chunk, const std::uint64_t* words) = 0;
};

// Words of whole blocks that hold so many bytes, of at most a chunk.
constexpr std::size_t words_for(std::size_t bytes) {
  constexpr std::size_t kBlock = AGGBOX_BLOCK_WORDS * sizeof(std::uint64_t);
  return (bytes + kBlock - 1) / kBlock * AGGBOX_BLOCK_WORDS;
}

}  // namespace aggbox
