#include "skein/data/charset.h"

#include <fmt/format.h>
#include <unicode/ucnv.h>

#include <limits>
#include <vector>

#include "skein/base/error.h"

namespace skein {

struct CharsetConverter::State {
  std::unique_ptr<UConverter, decltype(&ucnv_close)> from{nullptr, ucnv_close};
  std::unique_ptr<UConverter, decltype(&ucnv_close)> to{nullptr, ucnv_close};
};

CharsetConverter::CharsetConverter(std::string_view charset) : state_(std::make_unique<State>()) {
  UErrorCode error = U_ZERO_ERROR;
  state_->from.reset(ucnv_open(std::string(charset).c_str(), &error));
  state_->to.reset(ucnv_open("UTF-8", &error));
  if (U_SUCCESS(error)) {
    // The default would put U+FFFD in the place of bytes that mean nothing.
    ucnv_setToUCallBack(state_->from.get(), UCNV_TO_U_CALLBACK_STOP, nullptr, nullptr, nullptr,
                        &error);
  }
  if (U_FAILURE(error)) {
    throw FormatError(
        fmt::format("the charset '{:.40}' is unknown; convert the text to UTF-8", charset));
  }
}

CharsetConverter::~CharsetConverter() = default;
CharsetConverter::CharsetConverter(CharsetConverter&&) noexcept = default;
CharsetConverter& CharsetConverter::operator=(CharsetConverter&&) noexcept = default;

bool CharsetConverter::to_utf8(std::string_view bytes, std::string& text) {
  constexpr size_t kBlock = 1 << 10;
  ucnv_reset(state_->from.get());
  ucnv_reset(state_->to.get());
  text.clear();
  UChar pivot[kBlock];
  UChar* pivot_begin = pivot;
  UChar* pivot_end = pivot;
  const char* source = bytes.data();
  const char* source_end = source + bytes.size();
  for (bool reset = true;; reset = false) {
    char block[kBlock];
    char* target = block;
    UErrorCode error = U_ZERO_ERROR;
    ucnv_convertEx(state_->to.get(), state_->from.get(), &target, block + kBlock, &source,
                   source_end, pivot, &pivot_begin, &pivot_end, pivot + kBlock, reset, true,
                   &error);
    text.append(block, static_cast<size_t>(target - block));
    if (error == U_BUFFER_OVERFLOW_ERROR) continue;
    return U_SUCCESS(error);
  }
}

}  // namespace skein
