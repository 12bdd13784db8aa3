// How often each word of a text occurs, in bounded memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace skein {

class Counter {
 public:
  // About 100 bytes an entry: 400 MB at most with the default. When there are more distinct words,
  // the rarest are forgotten: those seen once, then those seen twice and so on, until a quarter is
  // free.
  explicit Counter(size_t max_entries = size_t{4} << 20) : max_entries_(max_entries) {}

  void add(std::string_view text, int64_t count = 1);
  bool empty() const { return counts_.empty(); }
  // Whether some have been.
  bool forgot() const { return forgotten_ > 0; }

  // For add_packed() of another, which then has counted both texts.
  std::string packed() const;
  void add_packed(std::string_view bytes);

  // Most frequent first; ties in the order of bytes. Leaves out what occurs less than
  // `minimum_count` times.
  std::vector<std::pair<std::string, int64_t>> sorted(int64_t minimum_count = 1) const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  void forget_rarest();

  size_t max_entries_;
  int64_t forgotten_ = 0;  // what occurred no more often than this may have been forgotten
  std::unordered_map<std::string, int64_t, Hash, std::equal_to<>> counts_;
};

}  // namespace skein
