#include "skein/text/normalize.h"

#include <fmt/format.h>
#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/stringpiece.h>

#include <algorithm>
#include <array>

#include "skein/base/error.h"
#include "skein/base/nearest.h"

namespace skein {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"none", "nfc", "nfkc"};

void require_success(UErrorCode code) {
  if (U_FAILURE(code)) {
    throw Error(fmt::format("Unicode normalisation failed: {}; is the ICU library complete?",
                            u_errorName(code)));
  }
}

const icu::Normalizer2& icu_normalizer(Normalization form) {
  UErrorCode code = U_ZERO_ERROR;
  const icu::Normalizer2* normalizer = form == Normalization::kNfc
                                           ? icu::Normalizer2::getNFCInstance(code)
                                           : icu::Normalizer2::getNFKCInstance(code);
  require_success(code);
  return *normalizer;
}

// Text in which no byte reaches `lead` holds only characters below the first that normalisation
// touches: U+0300 (lead byte 0xCC) for NFC, U+00A0 (lead byte 0xC2) for NFKC. Most lines of most
// European text.
bool needs_no_work(std::string_view text, Normalization form) {
  const unsigned lead = form == Normalization::kNfc ? 0xCC : 0xC2;
  return std::none_of(text.begin(), text.end(),
                      [lead](char byte) { return static_cast<unsigned char>(byte) >= lead; });
}

}  // namespace

std::string normalize(std::string_view text, Normalization form) {
  if (form == Normalization::kNone || needs_no_work(text, form)) return std::string(text);
  std::string result;
  result.reserve(text.size());
  icu::StringByteSink<std::string> sink(&result);
  UErrorCode code = U_ZERO_ERROR;
  icu_normalizer(form).normalizeUTF8(
      0, icu::StringPiece(text.data(), static_cast<int32_t>(text.size())), sink, nullptr, code);
  require_success(code);
  return result;
}

std::vector<std::string> normalization_names() { return {kNames.begin(), kNames.end()}; }

std::string normalization_name(Normalization form) {
  return std::string(kNames[static_cast<size_t>(form)]);
}

Normalization normalization_from_name(std::string_view name) {
  return static_cast<Normalization>(require_name("normalisation", name, kNames));
}

}  // namespace skein
