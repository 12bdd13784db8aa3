#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read_pairs.h"
#include "shared_data.h"
#include "skein/data/corpus.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const CorpusOptions kEnDe{.source_language = "en", .target_language = "de"};

std::unique_ptr<PairReader> tmx(const std::string& body, const CorpusOptions& options = kEnDe,
                                const std::string& heading = "<?xml version=\"1.0\"?>") {
  return read_tmx(
      memory_stream(heading + "<tmx version=\"1.4\"><header/><body>\n" + body + "</body></tmx>",
                    "m.tmx"),
      "m.tmx", options);
}

std::string unit(const std::string& first, const std::string& second) {
  return "<tu><tuv " + first + "</seg></tuv><tuv " + second + "</seg></tuv></tu>\n";
}

TEST(TmxReader, FindsTheLanguagesInAnyOrderAndByTheirRegion) {
  const auto reader = tmx(unit("xml:lang='de-AT'><seg>Hund", "xml:lang='EN_us'><seg>dog") +
                          unit("lang='en'><seg>cat", "lang='de'><seg>Katze"));
  EXPECT_THAT(pairs_of(*reader), ElementsAre(Pair{"dog", "Hund"}, Pair{"cat", "Katze"}));
  EXPECT_EQ(reader->where(), "m.tmx:3");
}

TEST(TmxReader, PrefersTheExactTag) {
  const std::string variants =
      "<tu><tuv xml:lang='en'><seg>a</seg></tuv><tuv xml:lang='pt-PT'><seg>b</seg></tuv>"
      "<tuv xml:lang='pt-BR'><seg>c</seg></tuv><tuv xml:lang='pt'><seg>d</seg></tuv></tu>";
  EXPECT_THAT(pairs_of(*tmx(variants, {.source_language = "en", .target_language = "pt"})),
              ElementsAre(Pair{"a", "d"}));
  EXPECT_THAT(pairs_of(*tmx(variants, {.source_language = "en", .target_language = "pt-br"})),
              ElementsAre(Pair{"a", "c"}));
  EXPECT_THAT(pairs_of(*tmx(variants, {.target_language = "en"})), ElementsAre(Pair{"", "a"}));
}

TEST(TmxReader, DecodesEntitiesAndCdataAndPutsSegmentsOnOneLine) {
  EXPECT_THAT(pairs_of(*tmx(unit("xml:lang='en'><seg>a &lt; b &amp; &#x20AC;\n  &#8364;",
                                 "xml:lang='de'><seg><![CDATA[<b> & ]]>c"))),
              ElementsAre(Pair{"a < b & € €", "<b> & c"}));
}

TEST(TmxReader, LeavesMarkupOutAndKeepsHighlightedText) {
  // TMX 1.4b: bpt, ept, ph, it and ut hold native codes (sub is text within them), hi encloses
  // text.
  EXPECT_THAT(pairs_of(*tmx(unit("xml:lang='en'><seg><bpt i='1'>{b</bpt>bold<ept i='1'>}</ept> "
                                 "<hi type='term'>word</hi><ph>{img <sub>title</sub>}</ph>",
                                 "xml:lang='de'><seg>fett <hi>W<hi>or</hi>t</hi>"))),
              ElementsAre(Pair{"bold word", "fett Wort"}));
}

TEST(TmxReader, CountsUnitsThatCannotGiveAPair) {
  const auto reader = tmx(unit("xml:lang='en'><seg>a", "xml:lang='fr'><seg>b") +
                              unit("xml:lang='en'><seg>x &mystery; y", "xml:lang='de'><seg>c") +
                              unit("xml:lang='en'><seg>d", "xml:lang='de'><seg>e"),
                          kEnDe, "<!DOCTYPE tmx SYSTEM 'tmx14.dtd'>");
  EXPECT_THAT(pairs_of(*reader), ElementsAre(Pair{"d", "e"}));
  EXPECT_THAT(reader->left_out(), ElementsAre(std::pair("unit without the languages", 1),
                                              std::pair("unknown entity", 1)));
}

TEST(TmxReader, NamesTheLanguagesThatTheFileHasWhenNoUnitFits) {
  EXPECT_THAT(error_of(*tmx(unit("xml:lang='en-GB'><seg>a", "xml:lang='fr'><seg>b"))),
              HasSubstr("m.tmx: no translation unit has both en and de; found: en-GB, fr"));
}

TEST(TmxReader, NamesThePlaceWhereTheXmlIsNotValid) {
  EXPECT_THAT(error_of(*tmx("<tu><tuv></tu>")),
              HasSubstr("m.tmx:2:12: the XML is not valid (mismatched tag)"));
  const auto cut = read_tmx(memory_stream("<tmx><body>", "m.tmx"), "m.tmx", kEnDe);
  EXPECT_THAT(error_of(*cut), HasSubstr("the XML is not valid (no element found)"));
}

TEST(TmxReader, ReadsOtherCharsets) {
  const std::string body = unit("xml:lang='en'><seg>price", "xml:lang='de'><seg>5 \x80 f\xfcr");
  EXPECT_THAT(pairs_of(*tmx(body, kEnDe, "<?xml version='1.0' encoding='windows-1252'?>")),
              ElementsAre(Pair{"price", "5 € für"}));
  std::string wide = "\xff\xfe";
  for (const char c :
       "<tmx><body>" + unit("xml:lang='en'><seg>a", "xml:lang='de'><seg>b") + "</body></tmx>") {
    wide += c;
    wide += '\0';
  }
  EXPECT_THAT(pairs_of(*read_tmx(memory_stream(wide, "m.tmx"), "m.tmx", kEnDe)),
              ElementsAre(Pair{"a", "b"}));
}

TEST(TmxReader, ReadsARealMemory) {
  if (!shared_available()) GTEST_SKIP() << "no shared/ beside the checkout";
  const auto reader = open_corpus(shared_path("data/formats/tmx/all.en-fuv.tmx"),
                                  {.source_language = "en", .target_language = "fuv"});
  const auto pairs = pairs_of(*reader);
  ASSERT_EQ(pairs.size(), 3071u);  // the README of the data
  EXPECT_EQ(pairs[0], (Pair{"about how long have these symptoms been going on?",
                            "diga ndey on ɗon mari mandolji nyau ndu?"}));
}

}  // namespace
}  // namespace skein
