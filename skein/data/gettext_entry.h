// What .po and .mo files have in common.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "skein/data/pair_reader.h"

namespace skein::internal {

struct GettextEntry {
  std::string id;
  std::string plural_id;           // empty: no plural
  std::vector<std::string> forms;  // msgstr, or msgstr[0] to msgstr[n - 1]
};

// The charset that the header (the translation of the empty msgid) names; "UTF-8" if it names none
// or, as in a template, the word CHARSET.
std::string charset_of_header(std::string_view header);

// Appends the pairs that the entry gives; returns false if it is not translated.
bool append_pairs(const GettextEntry& entry, bool monolingual, std::deque<Pair>& pairs);

}  // namespace skein::internal
