#include "skein/data/gettext_entry.h"

#include <utility>

#include "skein/data/record.h"

namespace skein::internal {
namespace {

bool append_pair(std::string_view source, std::string_view target, bool monolingual,
                 std::deque<Pair>& pairs) {
  Pair pair{.source = as_one_line(source), .target = as_one_line(target)};
  if (pair.source.empty() || pair.target.empty()) return false;
  if (monolingual) pair.source.clear();
  pairs.push_back(std::move(pair));
  return true;
}

}  // namespace

std::string charset_of_header(std::string_view header) {
  constexpr std::string_view kKey = "charset=";
  const size_t found = header.find(kKey);
  if (found == std::string_view::npos) return "UTF-8";
  std::string_view name = header.substr(found + kKey.size());
  name = name.substr(0, name.find_first_of(" \t\r\n;\\\""));
  return name.empty() || name == "CHARSET" ? "UTF-8" : std::string(name);
}

bool append_pairs(const GettextEntry& entry, bool monolingual, std::deque<Pair>& pairs) {
  if (entry.forms.empty()) return false;
  bool any = append_pair(entry.id, entry.forms.front(), monolingual, pairs);
  if (!entry.plural_id.empty()) {
    any |= append_pair(entry.plural_id, entry.forms.back(), monolingual, pairs);
  }
  return any;
}

}  // namespace skein::internal
