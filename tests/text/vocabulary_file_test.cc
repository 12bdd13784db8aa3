#include "skein/text/vocabulary_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skein/base/error.h"
#include "text/text_support.h"

namespace skein {
namespace {

constexpr const char* kExample =
    "#skein-vocabulary 1 word\n"
    "normalization nfc\n"
    "section symbols 1\n"
    "<2de>\n"
    "section pieces 3\n"
    "the\n"
    " \n"
    "\r\n";

std::string failure(std::string_view content) {
  return error_of<FormatError>([&] { VocabularyFile::parse(content, "vocab.model").vocabulary(); });
}

TEST(VocabularyFile, ReadsWhatItsHeaderShows) {
  const VocabularyFile file = VocabularyFile::parse(kExample, "vocab.model");
  EXPECT_EQ(file.type, "word");
  EXPECT_EQ(file.normalization, Normalization::kNfc);
  EXPECT_THAT(file.vocabulary().pieces(),
              testing::ElementsAre("<s>", "<pad>", "</s>", "<unk>", "<2de>", "the", " ", "\r"));
}

TEST(VocabularyFile, WritesWhatItReads) {
  EXPECT_EQ(VocabularyFile::parse(kExample, "vocab.model").serialize(), kExample);
}

TEST(VocabularyFile, KnowsItsOwnFirstLine) {
  EXPECT_EQ(VocabularyFile::type_of(kExample), "word");
  EXPECT_EQ(VocabularyFile::type_of("#skein-vocabulary 1"), "");
  EXPECT_EQ(VocabularyFile::type_of("#version: 0.2\n"), "");
}

TEST(VocabularyFile, ErrorsNameTheLine) {
  EXPECT_EQ(
      failure("the\n"),
      "vocab.model:1: the first line is not '#skein-vocabulary 1 TYPE'; is this a vocabulary?");
  EXPECT_EQ(
      failure("#skein-vocabulary 2 word\n"),
      "vocab.model:1: format version '2' was found, version 1 was expected; use a newer skein");
  EXPECT_EQ(failure("#skein-vocabulary 1 word\nnormalization nfd\n"),
            "vocab.model:2: there is no normalisation 'nfd'; none, nfc or nfkc was expected");
  EXPECT_EQ(failure("#skein-vocabulary 1 word\nnormalization nfc\nsection pieces x\n"),
            "vocab.model:3: the line 'section NAME COUNT' was expected");
  EXPECT_EQ(
      failure("#skein-vocabulary 1 word\nnormalization nfc\nsection pieces 99999999999\na\n"),
      "vocab.model:5: the file ends where a line of the section was expected; it was cut short");
  EXPECT_EQ(failure("#skein-vocabulary 1 word\nnormalization nfc\nsection pieces 1\n\xFF\n"),
            "vocab.model:4: the line is not UTF-8; restore the file");
  EXPECT_EQ(failure("#skein-vocabulary 1 word\nnormalization nfc\nsection symbols 0\n"),
            "vocab.model:1: there is no section 'pieces'; the file is incomplete");
  EXPECT_EQ(
      failure("#skein-vocabulary 1 word\nnormalization nfc\nsection symbols 0\nsection pieces "
              "2\na\na\n"),
      "vocab.model:6: the piece 'a' is empty, a special token or there twice; remove the line");
}

TEST(VocabularyFile, EveryTruncationIsNoticed) {
  const std::string_view content = kExample;
  for (size_t length = 0; length < content.size(); ++length) {
    EXPECT_NE(failure(content.substr(0, length)), "no error") << length;
  }
}

}  // namespace
}  // namespace skein
