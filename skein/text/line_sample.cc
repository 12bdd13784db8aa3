#include "skein/text/line_sample.h"

#include <algorithm>

namespace skein {

void LineSample::add(std::string_view line) {
  const uint64_t draw = random_.next_u64();
  const uint64_t position = next_position_++;
  if (draw >= limit_) return;
  heap_.push_back({draw, position, std::string(line)});
  std::push_heap(heap_.begin(), heap_.end());
  bytes_ += static_cast<int64_t>(line.size());
  // One line stays, however long it is.
  while (bytes_ > max_bytes_ && heap_.size() > 1) {
    std::pop_heap(heap_.begin(), heap_.end());
    limit_ = heap_.back().draw;
    bytes_ -= static_cast<int64_t>(heap_.back().line.size());
    heap_.pop_back();
  }
}

std::vector<std::string> LineSample::take() {
  std::sort(heap_.begin(), heap_.end(),
            [](const Entry& a, const Entry& b) { return a.position < b.position; });
  std::vector<std::string> lines;
  lines.reserve(heap_.size());
  for (Entry& entry : heap_) lines.push_back(std::move(entry.line));
  heap_.clear();
  bytes_ = 0;
  return lines;
}

}  // namespace skein
