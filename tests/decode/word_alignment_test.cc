#include "skein/decode/word_alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skein/decode/source_words.h"
#include "skein/text/tokenizers.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// "one" and "two" are words of the vocabulary, "ten" is not.
std::unique_ptr<Tokenizer> words() {
  bool given = false;
  return learn_tokenizer("word", {.size = 100, .normalization = Normalization::kNfkc},
                         [given](std::string& line) mutable {
                           line = "one two";
                           return !std::exchange(given, true);
                         });
}

TEST(WordAlignment, PairsWordsThroughTheirTokens) {
  // Source words 0 0 1, target words 0 1 1 and the end: both tokens of target word 1 are aligned.
  const std::vector<int32_t> source = {0, 0, 1};
  const std::vector<int32_t> target = {0, 1, 1, -1};
  EXPECT_THAT(word_pairs(source, target, std::vector{1, 2, 0, 0}),
              ElementsAre(WordPair{0, 0}, WordPair{0, 1}, WordPair{1, 1}));
  EXPECT_THAT(word_pairs(source, target, std::vector{1, 2, 2, 0}),
              ElementsAre(WordPair{0, 0}, WordPair{1, 1}));
}

TEST(WordAlignment, LeavesOutWhatIsNoWord) {
  EXPECT_THAT(word_pairs(std::vector{0, -1}, std::vector{0, -1, 1}, std::vector{1, 0, -1}),
              IsEmpty());
}

TEST(WordAlignment, IsWrittenInPharaohsForm) {
  EXPECT_EQ(pharaoh_text(std::vector{WordPair{0, 0}, WordPair{2, 1}}), "0-0 2-1");
  EXPECT_EQ(pharaoh_text({}), "");
}

TEST(WordAlignment, SpecialTokensAreNoTargetWords) {
  const auto tokenizer = words();
  const int32_t one = tokenizer->vocabulary().id("one");
  EXPECT_THAT(target_words(std::vector{kBosId, one, kUnkId, kEosId}, *tokenizer),
              ElementsAre(-1, 0, 1, -1));
}

TEST(SourceWords, AreAsTheUserWroteThem) {
  const auto tokenizer = words();
  const SourceWords plain = source_words("one  \uFB01ne two", *tokenizer);
  EXPECT_THAT(plain.words, ElementsAre("one", "\uFB01ne", "two"));
  EXPECT_THAT(plain.of_tokens, ElementsAre(0, 1, 2));
}

TEST(SourceWords, FollowNormalisationWhereItMakesSpaces) {
  const auto tokenizer = words();
  // NFKC makes a space of a no-break space, so the tokens are three words.
  const SourceWords parted = source_words("one\u00A0two one", *tokenizer);
  EXPECT_THAT(parted.words, ElementsAre("one", "two", "one"));
  EXPECT_THAT(parted.of_tokens, ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace skein
