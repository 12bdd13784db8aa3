#include "skein/decode/generate_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decode/copy_scorer.h"
#include "decode/random_transformer.h"
#include "skein/decode/language_model_scorer.h"

namespace skein {
namespace {

using testing::SizeIs;

TEST(GenerateStream, AWindowIsBoundedByTheTextOfItsPrompts) {
  const auto tokenizer = letters();
  const auto model = random_language_model(tokenizer->vocabulary().size());
  const Generator generator([&] { return std::make_unique<LanguageModelScorer>(*model); },
                            *tokenizer, {.search = {.beam = 1}, .max_length = 3});
  // Two prompts that are too long, each as much text as a window has, and two short ones.
  const std::string large(size_t{1} << 22, 'x');
  LineReader lines(memory_stream(large + "\n" + large + "\na\nb\n", "input"), "input");
  std::vector<std::string> writes;
  const GenerateCounts counts =
      generate_stream(lines, generator, {.on_bad_line = OnBadLine::kSkip},
                      [&](std::string_view text) { writes.emplace_back(text); });
  EXPECT_THAT(writes, SizeIs(3));
  EXPECT_EQ(writes[0], "\n");
  EXPECT_EQ(counts.skipped, 2);
  EXPECT_EQ(counts.tokens, 2);
}

}  // namespace
}  // namespace skein
