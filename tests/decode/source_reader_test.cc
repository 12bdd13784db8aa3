#include "skein/decode/source_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skein/base/error.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

LineReader lines(const std::string& text, const std::string& name) {
  return {memory_stream(text, name), name};
}

std::vector<SourceLine> all(SourceReader& reader) {
  std::vector<SourceLine> result;
  for (SourceLine line; reader.next(line);) result.push_back(line);
  return result;
}

TEST(TextSource, GivesEveryLineItsPrefixAndConstraints) {
  SourceCompanions companions;
  companions.prefixes.emplace(lines("x y\n\n", "prefixes"));
  companions.constraints.emplace(lines("a\tb c\n\n", "constraints"));
  const auto reader = text_source(lines("one\ntwo\n", "input"), std::move(companions));
  const auto found = all(*reader);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].number, 1);
  EXPECT_EQ(found[0].source, "one");
  EXPECT_EQ(found[0].prefix, "x y");
  EXPECT_THAT(found[0].constraints, ElementsAre("a", "b c"));
  EXPECT_EQ(found[1].prefix, "");
  EXPECT_THAT(found[1].constraints, IsEmpty());
}

std::string error_with_prefixes(const std::string& prefixes) {
  SourceCompanions companions;
  companions.prefixes.emplace(lines(prefixes, "prefixes"));
  const auto reader = text_source(lines("one\ntwo\n", "input"), std::move(companions));
  try {
    all(*reader);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "no error";
}

TEST(TextSource, RefusesACompanionOfAnotherLength) {
  EXPECT_THAT(error_with_prefixes("x\n"), HasSubstr("prefixes has fewer lines than input"));
  EXPECT_THAT(error_with_prefixes("x\ny\nz\n"), HasSubstr("prefixes has more lines than input"));
  EXPECT_EQ(error_with_prefixes("x\ny\n"), "no error");
}

TEST(JsonSource, ReadsSourcePrefixAndConstraints) {
  const auto reader =
      json_source(lines(R"({"source": "one", "prefix": "x", "constraints": ["a", "b c"]})"
                        "\n"
                        R"({"source": "two"})"
                        "\n",
                        "input"));
  const auto found = all(*reader);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].source, "one");
  EXPECT_EQ(found[0].prefix, "x");
  EXPECT_THAT(found[0].constraints, ElementsAre("a", "b c"));
  EXPECT_EQ(found[0].error + found[1].error, "");
  EXPECT_EQ(found[1].number, 2);
  EXPECT_EQ(found[1].source, "two");
}

TEST(JsonSource, TellsWhatIsWrongWithALineAndGoesOn) {
  const auto reader = json_source(lines(
      "one\n{\"text\": \"x\"}\n{\"source\": 3}\n{\"source\": \"x\", \"constraint\": \"a\"}\n"
      "{\"source\": \"x\", \"constraints\": \"a\"}\n{\"source\": \"x\", \"constraints\": [1]}\n"
      "{\"source\": \"x\", \"prefix\": null}\n\n[\"x\"]\n{\"prefix\": \"x\"}\n{\"source\": "
      "\"last\"}\n",
      "input"));
  const auto found = all(*reader);
  ASSERT_EQ(found.size(), 11u);
  EXPECT_THAT(found[0].error, HasSubstr("the line is no JSON (column 1: syntax error"));
  EXPECT_THAT(found[1].error, HasSubstr("there is no key 'text' (known: source prefix constr"));
  EXPECT_THAT(found[2].error, HasSubstr("the value of 'source' is a number; expected text"));
  EXPECT_THAT(found[3].error, HasSubstr("did you mean 'constraints'"));
  EXPECT_THAT(found[4].error, HasSubstr("'constraints' is no array of texts"));
  EXPECT_THAT(found[5].error, HasSubstr("the value of 'constraints' is a number"));
  EXPECT_THAT(found[6].error, HasSubstr("the value of 'prefix' is a null"));
  EXPECT_THAT(found[7].error, HasSubstr("the line is no JSON ("));
  EXPECT_EQ(found[8].error, "the line is no JSON object");
  EXPECT_EQ(found[9].error, "the line has no key 'source', the text to translate");
  EXPECT_EQ(found[10].error, "");
}

}  // namespace
}  // namespace skein
