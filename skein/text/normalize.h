// Unicode normalisation forms (Unicode Standard Annex 15), by ICU.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skein {

enum class Normalization {
  kNone,
  kNfc,   // canonical composition: the same text, one spelling
  kNfkc,  // compatibility composition: also ligatures, full-width forms, superscripts become plain
};

// `text`: well-formed UTF-8.
std::string normalize(std::string_view text, Normalization form);

// "none", "nfc", "nfkc".
std::string normalization_name(Normalization form);
// Throws UsageError for any other name.
Normalization normalization_from_name(std::string_view name);
std::vector<std::string> normalization_names();

}  // namespace skein
