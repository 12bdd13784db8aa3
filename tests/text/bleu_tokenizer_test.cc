// Expected tokens: sacreBLEU 2.6.0's tokenizer_13a and tokenizer_intl on the same lines.
#include "skein/text/bleu_tokenizer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "skein/base/error.h"
#include "skein/text/python_text.h"

namespace skein {
namespace {

std::string tokens(std::string_view line, BleuTokenizer tokenizer) {
  const std::string text = tokenize_for_bleu(line, tokenizer);
  return fmt::format("{}", fmt::join(split_words(text), " "));
}

struct Example {
  std::string_view line, expected_13a, expected_intl;
};

constexpr Example kExamples[] = {
    {R"(Dr. Smith paid $1,234.56 (about 5-6% more) for "it".)",
     R"(Dr . Smith paid $ 1,234.56 ( about 5 - 6 % more ) for " it " .)",
     R"(Dr . Smith paid $ 1,234.56 ( about 5-6 % more ) for " it " .)"},
    {"&quot;a&amp;lt;b&quot; <skipped>x", R"(" a < b " x)",
     "& quot ; a & amp ; lt ; b & quot ; < skipped > x"},
    {"e.g. 3.14, .5 and 5.", "e . g . 3.14 , . 5 and 5 .", "e . g . 3.14 , . 5 and 5."},
    {"don't well-known 2020-2021", "don't well-known 2020 - 2021",
     "don ' t well - known 2020-2021"},
    {"1.000.000,50€ – «Hallo»", "1.000.000,50€ – «Hallo»", "1.000.000,50 € – « Hallo »"},
    {"a.,b 7.,8", "a . , b 7 . , 8", "a . , b 7 . , 8"},
};

TEST(BleuTokenizer, The13aTokenizerSplitsAsciiPunctuationAndKeepsNumbersWhole) {
  for (const Example& example : kExamples) {
    EXPECT_EQ(tokens(example.line, BleuTokenizer::k13a), example.expected_13a);
  }
}

TEST(BleuTokenizer, IntlSplitsAllPunctuationAndSymbolsOfUnicode) {
  for (const Example& example : kExamples) {
    EXPECT_EQ(tokens(example.line, BleuTokenizer::kIntl), example.expected_intl);
  }
}

TEST(BleuTokenizer, CharMakesEveryCodePointAToken) {
  EXPECT_EQ(tokens("Häß 漢", BleuTokenizer::kChar), "H ä ß 漢");
}

TEST(BleuTokenizer, NoneLeavesTheLineAlone) {
  EXPECT_EQ(tokenize_for_bleu("a, b.", BleuTokenizer::kNone), "a, b.");
}

TEST(BleuTokenizer, HasTheNamesThatSignaturesShow) {
  for (const std::string_view name : {"13a", "intl", "char", "none"}) {
    EXPECT_EQ(bleu_tokenizer_name(bleu_tokenizer(name)), name);
  }
  EXPECT_THROW(bleu_tokenizer("13b"), UsageError);
}

}  // namespace
}  // namespace skein
