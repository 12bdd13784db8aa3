// A translation unit of a .tmx file and how its languages are chosen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skein::internal {

struct TmxVariant {
  std::string language;  // xml:lang as it stands
  std::string text;
};

// The index of the variant in `wanted`: the first with exactly this tag, else the first whose tag
// goes on behind it (en: en-US); letters match in both cases, '_' is '-'. -1 if there is none.
int find_variant(const std::vector<TmxVariant>& variants, std::string_view wanted);

}  // namespace skein::internal
