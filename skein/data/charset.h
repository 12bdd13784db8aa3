// Text in any charset that ICU knows, to UTF-8.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace skein {

class CharsetConverter {
 public:
  // Throws FormatError, naming the charset, if ICU does not know it.
  explicit CharsetConverter(std::string_view charset);
  ~CharsetConverter();
  CharsetConverter(CharsetConverter&&) noexcept;
  CharsetConverter& operator=(CharsetConverter&&) noexcept;

  // False if `bytes` are not text in the charset; `text` is then unspecified.
  bool to_utf8(std::string_view bytes, std::string& text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace skein
