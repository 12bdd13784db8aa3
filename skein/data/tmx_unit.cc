#include "skein/data/tmx_unit.h"

namespace skein::internal {
namespace {

std::string plain_tag(std::string_view tag) {
  std::string plain;
  for (const char c : tag) {
    plain += c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return plain;
}

}  // namespace

int find_variant(const std::vector<TmxVariant>& variants, std::string_view wanted) {
  const std::string exact = plain_tag(wanted);
  const std::string longer = exact + "-";
  int found = -1;
  for (size_t i = 0; i < variants.size(); ++i) {
    const std::string tag = plain_tag(variants[i].language);
    if (tag == exact) return static_cast<int>(i);
    if (found < 0 && tag.starts_with(longer)) found = static_cast<int>(i);
  }
  return found;
}

}  // namespace skein::internal
