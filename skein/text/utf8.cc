#include "skein/text/utf8.h"

#include <fmt/format.h>

#include <cstring>

#include "skein/base/error.h"

namespace skein {
namespace {

bool is_continuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

// The length of the well-formed sequence at the start of `text`, or 0. The bounds of the second
// byte are those of table 3-7: they exclude overlong forms, surrogates and values above U+10FFFF.
size_t well_formed_length(std::string_view text) {
  const auto at = [text](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = at(0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const size_t length = utf8_length(text[0]);
  if (text.size() < length) return 0;
  const uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (at(1) < low || at(1) > high) return 0;
  for (size_t i = 2; i < length; ++i) {
    if (!is_continuation(at(i))) return 0;
  }
  return length;
}

bool eight_are_ascii(const char* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return (word & 0x8080808080808080U) == 0;
}

}  // namespace

size_t find_invalid_utf8(std::string_view text) {
  size_t offset = 0;
  while (offset < text.size()) {
    if (text.size() - offset >= 8 && eight_are_ascii(text.data() + offset)) {
      offset += 8;
      continue;
    }
    const size_t length = well_formed_length(text.substr(offset));
    if (length == 0) return offset;
    offset += length;
  }
  return std::string_view::npos;
}

void require_utf8(std::string_view text) {
  const size_t offset = find_invalid_utf8(text);
  if (offset == std::string_view::npos) return;
  throw FormatError(
      fmt::format("byte {} (0x{:02X}) of the line is not UTF-8; convert the text to UTF-8",
                  offset + 1, static_cast<uint8_t>(text[offset])));
}

char32_t decode_utf8(std::string_view character) {
  const auto lead = static_cast<uint8_t>(character[0]);
  if (character.size() == 1) return lead;
  // A lead byte of a sequence of n bytes carries 7 - n bits.
  char32_t value = lead & (0x7FU >> character.size());
  for (size_t i = 1; i < character.size(); ++i) {
    value = (value << 6) | (static_cast<uint8_t>(character[i]) & 0x3FU);
  }
  return value;
}

void append_utf8(char32_t code_point, std::string& text) {
  const auto put = [&text](char32_t byte) { text += static_cast<char>(byte); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3F));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

}  // namespace skein
