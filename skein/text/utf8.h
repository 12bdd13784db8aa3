// UTF-8: is it well formed, and what are its characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace skein {

// The byte offset of the first sequence that is not well formed (The Unicode Standard, table 3-7:
// overlong forms, surrogates, values above U+10FFFF and truncated sequences are not), or npos if
// there is none.
size_t find_invalid_utf8(std::string_view text);

// Throws FormatError, naming the offset, unless `text` is well formed.
void require_utf8(std::string_view text);

// The length in bytes, 1 to 4, of the character that begins with `lead`. Requires well-formed text.
inline size_t utf8_length(char lead) {
  const auto byte = static_cast<uint8_t>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// `character`: exactly one well-formed character.
char32_t decode_utf8(std::string_view character);

// Appends the UTF-8 form of `code_point`, which must not be a surrogate or above U+10FFFF.
void append_utf8(char32_t code_point, std::string& text);

// The characters of well-formed text, each a view of its bytes: for (std::string_view c :
// Characters(text)).
class Characters {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    using pointer = const std::string_view*;
    using reference = std::string_view;

    Iterator(std::string_view text, size_t offset) : text_(text), offset_(offset) {}
    std::string_view operator*() const {
      return text_.substr(offset_, utf8_length(text_[offset_]));
    }
    Iterator& operator++() {
      offset_ += utf8_length(text_[offset_]);
      return *this;
    }
    bool operator==(const Iterator& other) const { return offset_ == other.offset_; }

   private:
    std::string_view text_;
    size_t offset_;
  };

  explicit Characters(std::string_view text) : text_(text) {}
  Iterator begin() const { return {text_, 0}; }
  Iterator end() const { return {text_, text_.size()}; }

 private:
  std::string_view text_;
};

}  // namespace skein
