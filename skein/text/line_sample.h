// A uniform sample of the lines of a text of any length, in bounded memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "skein/base/random.h"

namespace skein {

class LineSample {
 public:
  // Holds at most `max_bytes` of text (and 100 bytes a line beside it).
  LineSample(int64_t max_bytes, uint64_t seed) : max_bytes_(max_bytes), random_(seed) {}

  void add(std::string_view line);
  // So many lines are another sample's, which has the same size and seed.
  void skip(int64_t lines);

  // For add_packed() of another; of samples that skip each other's lines, the sample of all lines.
  std::string packed() const;
  void add_packed(std::string_view bytes);

  // The lines of the sample in the order in which they were added; the sample is empty afterwards.
  std::vector<std::string> take();

 private:
  // Every line draws a number; the lines with the smallest numbers that fit are the sample.
  struct Entry {
    uint64_t draw;
    uint64_t position;
    std::string line;
    bool operator<(const Entry& other) const { return draw < other.draw; }
  };

  void offer(Entry entry);

  int64_t max_bytes_;
  Random random_;
  uint64_t limit_ = UINT64_MAX;  // lines that draw this or more have no chance any more
  uint64_t next_position_ = 0;
  int64_t bytes_ = 0;
  std::vector<Entry> heap_;  // largest draw first
};

}  // namespace skein
