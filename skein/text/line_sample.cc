#include "skein/text/line_sample.h"

#include <algorithm>

#include "skein/base/packed_bytes.h"

namespace skein {

void LineSample::add(std::string_view line) {
  const uint64_t draw = random_.next_u64();
  const uint64_t position = next_position_++;
  if (draw < limit_) offer({draw, position, std::string(line)});
}

void LineSample::skip(int64_t lines) {
  next_position_ += static_cast<uint64_t>(lines);
  random_.seek(2 * next_position_);
}

// What a sample leaves out has no chance in a larger text either: the lines with smaller numbers
// fill the memory already. So samples of parts hold all that the sample of the whole does.
void LineSample::offer(Entry entry) {
  if (entry.draw >= limit_) return;
  bytes_ += static_cast<int64_t>(entry.line.size());
  heap_.push_back(std::move(entry));
  std::push_heap(heap_.begin(), heap_.end());
  // One line stays, however long it is.
  while (bytes_ > max_bytes_ && heap_.size() > 1) {
    std::pop_heap(heap_.begin(), heap_.end());
    limit_ = heap_.back().draw;
    bytes_ -= static_cast<int64_t>(heap_.back().line.size());
    heap_.pop_back();
  }
}

std::string LineSample::packed() const {
  PackedBytes bytes;
  for (const Entry& entry : heap_) {
    bytes.add_number(entry.draw);
    bytes.add_number(entry.position);
    bytes.add_text(entry.line);
  }
  return bytes.take();
}

void LineSample::add_packed(std::string_view bytes) {
  for (PackedBytesReader reader(bytes); !reader.empty();) {
    const auto draw = reader.number<uint64_t>();
    const auto position = reader.number<uint64_t>();
    offer({draw, position, std::string(reader.text())});
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
