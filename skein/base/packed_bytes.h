// Numbers and texts one after another in a string, for another process of the same program.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "skein/base/error.h"

namespace skein {

class PackedBytes {
 public:
  template <typename T>
  void add_number(T value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  void add_text(std::string_view text) {
    add_number(static_cast<uint64_t>(text.size()));
    bytes_.append(text);
  }
  template <typename T>
  void add_numbers(const std::vector<T>& values) {
    static_assert(std::is_arithmetic_v<T>);
    add_text({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Takes out, in the same order, what was added. Throws FormatError where too little is left.
class PackedBytesReader {
 public:
  explicit PackedBytesReader(std::string_view bytes) : bytes_(bytes) {}

  bool empty() const { return bytes_.empty(); }

  template <typename T>
  T number() {
    static_assert(std::is_arithmetic_v<T>);
    T value;
    std::memcpy(&value, cut(sizeof(T)).data(), sizeof(T));
    return value;
  }
  // A view of the bytes that the reader was given.
  std::string_view text() { return cut(number<uint64_t>()); }
  template <typename T>
  std::vector<T> numbers() {
    static_assert(std::is_arithmetic_v<T>);
    const std::string_view packed = text();
    std::vector<T> values(packed.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), packed.data(), values.size() * sizeof(T));
    return values;
  }

 private:
  std::string_view cut(uint64_t count) {
    if (count > bytes_.size()) {
      throw FormatError("a message of another process is too short; start all with one program");
    }
    const std::string_view front = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return front;
  }

  std::string_view bytes_;
};

}  // namespace skein
