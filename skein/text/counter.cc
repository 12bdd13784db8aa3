#include "skein/text/counter.h"

#include <algorithm>

#include "skein/base/packed_bytes.h"

namespace skein {

void Counter::add(std::string_view text, int64_t count) {
  const auto found = counts_.find(text);
  if (found != counts_.end()) {
    found->second += count;
    return;
  }
  counts_.emplace(text, count);
  if (counts_.size() > max_entries_) forget_rarest();
}

std::string Counter::packed() const {
  PackedBytes bytes;
  bytes.add_number(forgotten_);
  for (const auto& [text, count] : counts_) {
    bytes.add_text(text);
    bytes.add_number(count);
  }
  return bytes.take();
}

void Counter::add_packed(std::string_view bytes) {
  PackedBytesReader reader(bytes);
  forgotten_ += reader.number<int64_t>();
  while (!reader.empty()) {
    const std::string_view text = reader.text();
    add(text, reader.number<int64_t>());
  }
}

void Counter::forget_rarest() {
  while (counts_.size() > max_entries_ / 4 * 3) {
    ++forgotten_;
    std::erase_if(counts_, [this](const auto& entry) { return entry.second <= forgotten_; });
  }
}

std::vector<std::pair<std::string, int64_t>> Counter::sorted(int64_t minimum_count) const {
  std::vector<std::pair<std::string, int64_t>> result;
  for (const auto& [text, count] : counts_) {
    if (count >= minimum_count) result.emplace_back(text, count);
  }
  std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return result;
}

}  // namespace skein
