#include "skein/text/normalize.h"

#include <gtest/gtest.h>

#include "skein/base/error.h"

namespace skein {
namespace {

// Expected values: Unicode Standard Annex 15, figures 3 to 6.
TEST(Normalize, NfcComposesCanonically) {
  EXPECT_EQ(normalize("A\u030A", Normalization::kNfc), "\u00C5");
  EXPECT_EQ(normalize("\u212B", Normalization::kNfc), "\u00C5")
      << "the Ångström sign is a singleton";
  EXPECT_EQ(normalize("s\u0323\u0307", Normalization::kNfc), "\u1E69");
  EXPECT_EQ(normalize("d\u0307\u0323", Normalization::kNfc), "\u1E0D\u0307")
      << "marks are reordered";
  EXPECT_EQ(normalize("\u1100\u1161\u11A8", Normalization::kNfc), "\uAC01") << "Hangul";
  EXPECT_EQ(normalize("\uFB01 2\u2075", Normalization::kNfc), "\uFB01 2\u2075") << "ligatures stay";
}

TEST(Normalize, NfkcAlsoReplacesCompatibilityForms) {
  EXPECT_EQ(normalize("\uFB01 2\u2075", Normalization::kNfkc), "fi 25");
  EXPECT_EQ(normalize("\u1E9B\u0323", Normalization::kNfkc), "\u1E69");
  EXPECT_EQ(normalize("\uFF21\u00A0\u2026", Normalization::kNfkc), "A ...");
  EXPECT_EQ(normalize("\u00BD", Normalization::kNfkc), "1\u20442");
}

TEST(Normalize, NoneLeavesTheTextAlone) {
  EXPECT_EQ(normalize("A\u030A", Normalization::kNone), "A\u030A");
}

TEST(Normalize, PlainTextIsItsOwnNormalForm) {
  EXPECT_EQ(normalize("Die Gänse ziehen nach Süden.", Normalization::kNfc),
            "Die Gänse ziehen nach Süden.");
  EXPECT_EQ(normalize("", Normalization::kNfkc), "");
}

TEST(Normalize, NamesReadBack) {
  for (const std::string& name : normalization_names()) {
    EXPECT_EQ(normalization_name(normalization_from_name(name)), name);
  }
  EXPECT_THROW(normalization_from_name("nfd"), UsageError);
}

}  // namespace
}  // namespace skein
