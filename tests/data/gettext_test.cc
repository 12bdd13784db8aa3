// .po and .mo files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read_pairs.h"
#include "shared_data.h"
#include "skein/data/charset.h"
#include "skein/data/corpus.h"
#include "temporary_folder.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const CorpusOptions kEnDe{.source_language = "en", .target_language = "de"};

std::unique_ptr<PairReader> po(std::string text) {
  return read_po(lines(std::move(text), "de.po"), kEnDe);
}

TEST(PoReader, JoinsTheLinesOfAStringAndDecodesItsEscapes) {
  EXPECT_THAT(pairs_of(*po("# a comment\n"
                           "#: file.c:3\n"
                           "msgid \"\"\n"
                           "\"one \"\n"
                           "\"\\\"two\\\"\\n\"\n"
                           "msgstr \"eins \\x22zwei\\042\\t\\\\\"\n")),
              ElementsAre(Pair{"one \"two\"", "eins \"zwei\" \\"}));
}

TEST(PoReader, LeavesOutAndCountsWhatIsNotATranslation) {
  const auto reader =
      po("msgid \"\"\n"
         "msgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n"
         "\n"
         "#, fuzzy, c-format\n"
         "msgid \"doubtful\"\n"
         "msgstr \"zweifelhaft\"\n"
         "msgid \"missing\"\n"
         "msgstr \"\"\n"
         "msgctxt \"menu\"\n"
         "msgid \"open\"\n"
         "msgstr \"öffnen\"\n"
         "#~ msgid \"old\"\n"
         "#~ msgstr \"alt\"\n");
  EXPECT_THAT(pairs_of(*reader), ElementsAre(Pair{"open", "öffnen"}));
  EXPECT_EQ(reader->where(), "de.po:10");
  EXPECT_THAT(reader->left_out(), ElementsAre(std::pair("fuzzy", 1), std::pair("obsolete", 1),
                                              std::pair("untranslated", 1)));
}

TEST(PoReader, APluralGivesTheSingularWithTheFirstFormAndThePluralWithTheLast) {
  EXPECT_THAT(pairs_of(*po("msgid \"%d file\"\n"
                           "msgid_plural \"%d files\"\n"
                           "msgstr[0] \"%d plik\"\n"
                           "msgstr[1] \"%d pliki\"\n"
                           "msgstr[2] \"%d plików\"\n")),
              ElementsAre(Pair{"%d file", "%d plik"}, Pair{"%d files", "%d plików"}));
}

TEST(PoReader, ConvertsTheCharsetOfTheHeader) {
  const std::string header = "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=";
  EXPECT_THAT(pairs_of(*po(header + "ISO-8859-1\\n\"\nmsgid \"over\"\nmsgstr \"\xfc"
                                    "ber\"\n")),
              ElementsAre(Pair{"over", "über"}));
  // In Shift-JIS the second byte of 表 (0x95 0x5C) looks like a backslash.
  EXPECT_THAT(pairs_of(*po(header + "Shift_JIS\\n\"\nmsgid \"table\"\nmsgstr \"\x95\x5c\"\n")),
              ElementsAre(Pair{"table", "表"}));
  EXPECT_EQ(error_of(*po(header + "Klingon\\n\"\nmsgid \"a\"\nmsgstr \"b\"\n")),
            "de.po: the charset 'Klingon' is unknown; convert the text to UTF-8");
}

TEST(PoReader, EveryKindOfBadEntryIsNamedAndTheNextCanBeRead) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"msgid \"a\nmsgstr \"b\"\n", "de.po:1: text without a closing quote"},
      {"msgid a\nmsgstr \"b\"\n", "de.po:1: text without an opening quote"},
      {"msgid \"a\" b\nmsgstr \"b\"\n", "de.po:1: something stands behind the closing quote"},
      {"msgid \"a\\q\"\nmsgstr \"b\"\n", "de.po:1: an escape that does not exist"},
      {"msgid \"a\"\nmsgtext \"b\"\n", "de.po:2: 'msgtext' is not what follows in a .po file"},
      {"msgid \"a\"\nmsgstr[7] \"b\"\n", "de.po:2: 'msgstr[7]' is not what follows in a .po file"},
      {"\"a\"\n", "de.po:1: text in quotes that belongs to no keyword"},
      {"msgid \"a\"\nmsgstr \"\\xff\"\n", "de.po:1: byte 1 is not UTF-8"},
  };
  for (const auto& [entry, message] : cases) {
    const auto reader = po(entry + "msgid \"good\"\nmsgstr \"gut\"\n");
    EXPECT_THAT(error_of_next<RecordError>(*reader), HasSubstr(message));
    EXPECT_THAT(pairs_of(*reader), ElementsAre(Pair{"good", "gut"})) << entry;
  }
}

TEST(PoReader, AgreesWithMsgfmtOnRealFiles) {
  if (!shared_available()) GTEST_SKIP() << "no shared/ beside the checkout";
  // As `msgfmt --statistics` of gettext 0.21 counts.
  const auto counts = [](const char* name) {
    const auto reader = open_corpus(shared_path("data/formats/po/") / name, kEnDe);
    const auto pairs = static_cast<int64_t>(pairs_of(*reader).size());
    std::map<std::string, int64_t> left_out = reader->left_out();
    return std::vector{pairs, left_out["fuzzy"], left_out["untranslated"]};
  };
  EXPECT_THAT(counts("hello/ja.po"), ElementsAre(2, 17, 11));  // EUC-JP
  EXPECT_THAT(counts("hello/fr.po"), ElementsAre(27, 3, 0));
  EXPECT_THAT(counts("hello/ru.po"), ElementsAre(27, 3, 0));
  EXPECT_THAT(counts("python-docs/fr/glossary.po"), ElementsAre(309, 37, 30));
  EXPECT_THAT(counts("python-docs/pl/glossary.po"), ElementsAre(19, 0, 373));
  const auto danish = pairs_of(*open_corpus(shared_path("data/formats/po/hello/da.po"), kEnDe));
  EXPECT_THAT(danish,
              testing::Contains(Pair{"%s: option requires an argument -- '%c'",
                                     "%s: tilvalg kræver et argument - '%c'"}));  // ISO-8859-1
}

// A .mo file of these strings, in either byte order.
std::string mo(const std::vector<std::pair<std::string, std::string>>& strings, bool big_endian) {
  std::string out;
  const auto word = [&](size_t value) {
    for (size_t i = 0; i < 4; ++i)
      out += static_cast<char>(value >> 8 * (big_endian ? 3 - i : i) & 0xff);
  };
  const size_t count = strings.size();
  for (const size_t value :
       {size_t{0x950412de}, size_t{0}, count, size_t{28}, 28 + 8 * count, size_t{0}, size_t{0}}) {
    word(value);
  }
  size_t position = 28 + 16 * count;
  std::string text;
  for (const bool translation : {false, true}) {
    for (const auto& pair : strings) {
      const std::string& value = translation ? pair.second : pair.first;
      word(value.size());
      word(position);
      position += value.size() + 1;
      text += value + '\0';
    }
  }
  return out + text;
}

const std::vector<std::pair<std::string, std::string>> kStrings = {
    {"", "Content-Type: text/plain; charset=ISO-8859-1\n"},
    {std::string("menu\x04open"),
     "\xf6"
     "ffnen"},
    {std::string("%d file\0%d files", 16), std::string("%d Datei\0%d Dateien", 19)},
    {"missing", ""}};

TEST(MoReader, ReadsBothByteOrdersContextsPluralsAndCharsets) {
  for (const bool big_endian : {false, true}) {
    const auto reader = read_mo(memory_stream(mo(kStrings, big_endian), "de.mo"), "de.mo", kEnDe);
    EXPECT_THAT(pairs_of(*reader), ElementsAre(Pair{"open", "öffnen"}, Pair{"%d file", "%d Datei"},
                                               Pair{"%d files", "%d Dateien"}));
    EXPECT_THAT(reader->left_out(), ElementsAre(std::pair("untranslated", 1)));
  }
}

TEST(MoReader, AFileCutAnywhereIsRefused) {
  const std::string whole = mo(kStrings, false);
  // The last string is empty, so its end is a byte that nothing needs.
  for (size_t length = 0; length + 1 < whole.size(); ++length) {
    EXPECT_THROW(
        {
          const auto reader =
              read_mo(memory_stream(whole.substr(0, length), "de.mo"), "de.mo", kEnDe);
          pairs_of(*reader);
        },
        FormatError)
        << length;
  }
}

TEST(MoReader, SaysThatAnotherFileIsNoMoFile) {
  try {
    read_mo(memory_stream("twenty bytes of text, or more", "de.mo"), "de.mo", kEnDe);
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_STREQ(error.what(),
                 "de.mo: not a .mo file; make it again with msgfmt or fetch it again");
  }
}

TEST(CharsetConverter, RefusesBytesThatMeanNothingInTheCharset) {
  std::string text;
  EXPECT_TRUE(CharsetConverter("EUC-JP").to_utf8("\xa4\xa2", text));
  EXPECT_EQ(text, "あ");
  EXPECT_FALSE(CharsetConverter("EUC-JP").to_utf8("\xff\xff", text));
  EXPECT_FALSE(CharsetConverter("EUC-JP").to_utf8("\xa4", text));
  const std::string longer(5000, '\xe9');
  EXPECT_TRUE(CharsetConverter("ISO-8859-1").to_utf8(longer, text));
  EXPECT_EQ(text.size(), 10000u);
}

}  // namespace
}  // namespace skein
