// Readers of lines, TSV and JSON lines, and how a corpus is found by its name.
#include "skein/data/pair_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compressed.h"
#include "read_pairs.h"
#include "shared_data.h"
#include "skein/data/corpus.h"
#include "temporary_folder.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const CorpusOptions kEnDe{.source_language = "en", .target_language = "de"};
const CorpusOptions kMonolingual{.target_language = "de"};

TEST(AlignedLines, LineByLineTranslatesTheOther) {
  EXPECT_THAT(pairs_of(*read_aligned_lines(lines("a dog\r\n\ntwo"), lines("ein Hund\n\nzwei\n"))),
              ElementsAre(Pair{"a dog", "ein Hund"}, Pair{"", ""}, Pair{"two", "zwei"}));
}

TEST(AlignedLines, DifferentNumbersOfLinesAreRefusedWithBothCounts) {
  EXPECT_EQ(error_of(*read_aligned_lines(lines("1\n2\n3\n4\n", "c.en"), lines("1\n2\n", "c.de"))),
            "c.en has 4 lines, but c.de has 2; line i of one must translate line i of the other");
  EXPECT_EQ(error_of(*read_aligned_lines(lines("1\n", "c.en"), lines("1\n2\n", "c.de"))),
            "c.en has 1 lines, but c.de has 2; line i of one must translate line i of the other");
}

TEST(AlignedLines, ALineThatIsNotUtf8IsNamedAndTheNextCanBeRead) {
  const auto reader =
      read_aligned_lines(lines("1\n2\n3\n", "c.en"), lines("a\nb\xff\nc\n", "c.de"));
  Pair pair;
  ASSERT_TRUE(reader->next(pair));
  EXPECT_EQ(
      error_of_next<RecordError>(*reader),
      "c.de:2: byte 2 is not UTF-8; convert the file (iconv -t UTF-8) or leave such lines out with "
      "--on-error skip");
  ASSERT_TRUE(reader->next(pair));
  EXPECT_EQ(pair, (Pair{"3", "c"}));
}

TEST(TsvReader, TakesTheFirstTwoColumnsUnlessOthersAreNamed) {
  EXPECT_THAT(pairs_of(*read_tsv(lines("a\tb\tc\nd\te\n"), kEnDe)),
              ElementsAre(Pair{"a", "b"}, Pair{"d", "e"}));
  CorpusOptions options = kEnDe;
  options.source_column = 3;
  options.target_column = 1;
  EXPECT_THAT(pairs_of(*read_tsv(lines("a\tb\tc\n"), options)), ElementsAre(Pair{"c", "a"}));
  EXPECT_THAT(pairs_of(*read_tsv(lines("a\tb\n"), kMonolingual)), ElementsAre(Pair{"", "a"}));
}

TEST(TsvReader, ALineWithoutTheColumnIsNamed) {
  const auto reader = read_tsv(lines("a\tb\nonly one\nc\td\n", "c.tsv"), kEnDe);
  Pair pair;
  ASSERT_TRUE(reader->next(pair));
  EXPECT_THAT(error_of_next<RecordError>(*reader),
              HasSubstr("c.tsv:2: 1 column(s) apart by tabs where column 2 is wanted"));
  ASSERT_TRUE(reader->next(pair));
  EXPECT_EQ(pair, (Pair{"c", "d"}));
}

TEST(JsonReader, FindsTheUsualKeys) {
  EXPECT_THAT(pairs_of(*read_json_lines(lines(R"({"source": "a", "target": "b"})"
                                              "\n\n"
                                              R"({"src": "c", "tgt": "d"})"
                                              "\n"
                                              R"({"translation": {"de": "f", "en": "e"}, "id": 7})"
                                              "\n"
                                              R"({"en": "g", "de": "h"})"),
                                        kEnDe)),
              ElementsAre(Pair{"a", "b"}, Pair{"c", "d"}, Pair{"e", "f"}, Pair{"g", "h"}));
}

TEST(JsonReader, FollowsGivenKeysIntoNestedObjectsAndDecodesEscapes) {
  CorpusOptions options = kEnDe;
  options.source_key = "text.original";
  options.target_key = "text.result";
  EXPECT_THAT(pairs_of(*read_json_lines(
                  lines(R"({"text": {"original": "two\nlines", "result": "\u00fc\ud83d\ude00"}})"),
                  options)),
              ElementsAre(Pair{"two lines", "ü😀"}));
}

TEST(JsonReader, GivesEveryLineOfADocumentInOneLanguage) {
  EXPECT_THAT(pairs_of(*read_json_lines(lines(R"({"text": "one\n\n two "})"
                                              "\n"
                                              R"({"text": ""})"
                                              "\n"
                                              R"({"text": "three"})"),
                                        kMonolingual)),
              ElementsAre(Pair{"", "one"}, Pair{"", "two"}, Pair{"", "three"}));
}

TEST(JsonReader, EveryKindOfBadLineIsNamedAndTheNextCanBeRead) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{\"source\": \"a\"", "c.jsonl:1: not JSON (column 15: syntax error while parsing object"},
      {"[1, 2]", "c.jsonl:1: not a JSON object"},
      {R"({"source": "a", "target": 3})", "c.jsonl:1: the value of 'target' is not text"},
      {R"({"source": "a"})",
       "c.jsonl:1: no value under 'translation.en' and 'translation.de', or 'source' and 'target', "
       "or 'src' "
       "and 'tgt', or 'en' and 'de'"},
      {R"({"source": "\ud800", "target": "b"})", "c.jsonl:1: not JSON ("},
      {"{\"source\": \"\xff\"}", "c.jsonl:1: byte 13 is not UTF-8"},
  };
  for (const auto& [line, message] : cases) {
    const auto reader =
        read_json_lines(lines(line + "\n{\"src\": \"c\", \"tgt\": \"d\"}\n", "c.jsonl"), kEnDe);
    EXPECT_THAT(error_of_next<RecordError>(*reader), HasSubstr(message));
    EXPECT_THAT(pairs_of(*reader), ElementsAre(Pair{"c", "d"}));
  }
}

TEST(Corpus, IsFoundByItsPrefixWhateverTheEndings) {
  const TemporaryFolder folder;
  folder.file("a.en", "plain\n");
  folder.file("a.de.txt.gz", gzip_compressed("gepackt\n"));
  EXPECT_THAT(pairs_of(*open_corpus(folder.path() / "a", kEnDe)),
              ElementsAre(Pair{"plain", "gepackt"}));
  EXPECT_THAT(pairs_of(*open_corpus(folder.path() / "a", kMonolingual)),
              ElementsAre(Pair{"", "gepackt"}));
  EXPECT_THAT(pairs_of(*open_corpus(folder.path() / "a.en", kMonolingual)),
              ElementsAre(Pair{"", "plain"}));
}

TEST(Corpus, IsReadByTheFormatOfItsEndingAlsoCompressed) {
  const TemporaryFolder folder;
  EXPECT_THAT(pairs_of(*open_corpus(folder.file("a.tsv", "x\ty\n"), kEnDe)),
              ElementsAre(Pair{"x", "y"}));
  EXPECT_THAT(pairs_of(*open_corpus(folder.file("a.tsv.zst", zstd_compressed("x\ty\n")), kEnDe)),
              ElementsAre(Pair{"x", "y"}));
  EXPECT_THAT(pairs_of(*open_corpus(folder.file("a.jsonl", R"({"en": "x", "de": "y"})"), kEnDe)),
              ElementsAre(Pair{"x", "y"}));
  EXPECT_THAT(pairs_of(*open_corpus(folder.file("a.po", "msgid \"x\"\nmsgstr \"y\"\n"), kEnDe)),
              ElementsAre(Pair{"x", "y"}));
}

TEST(Corpus, SaysWhatItLookedForWhenThereIsNone) {
  try {
    open_corpus("absent", kEnDe);
    FAIL();
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("cannot find absent.en or absent.en.txt, plain, .gz or .zst"));
  }
}

TEST(Corpus, ReadsMulti30k) {
  if (!shared_available()) GTEST_SKIP() << "no shared/ beside the checkout";
  // Numbers of lines: Multi30k's README.
  const auto pairs = pairs_of(*open_corpus(shared_path("data/multi30k/train"), kEnDe));
  ASSERT_EQ(pairs.size(), 29000u);
  EXPECT_EQ(pairs[0], (Pair{"Two young, White males are outside near many bushes.",
                            "Zwei junge weiße Männer sind im Freien in der Nähe vieler Büsche."}));
}

TEST(Corpus, ReadsTheTextsThatDebianHasAndTheDocumentsOfACrawl) {
  if (!shared_available()) GTEST_SKIP() << "no shared/ beside the checkout";
  // Number of pairs: the README of the data.
  EXPECT_EQ(pairs_of(*open_corpus(shared_path("data/debian/lo.en-de.tsv.gz"), kEnDe)).size(),
            19294u);
  const auto crawl = pairs_of(*open_corpus(
      shared_path("data/formats/jsonl-zst/hplt-en_101.jsonl.zst"), {.target_language = "en"}));
  EXPECT_GT(crawl.size(), 40u);  // 40 documents of several lines
}

}  // namespace
}  // namespace skein
