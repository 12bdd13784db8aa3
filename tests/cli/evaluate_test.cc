#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/shell.h"
#include "data/temporary_folder.h"

namespace skein {
namespace {

class Evaluate : public testing::Test {
 protected:
  Evaluate() {
    folder_.file("ref", "the cat sat on the mat\na small dog barked loudly today\n");
    folder_.file("hyp", "the cat sat on the mat\na dog barked loudly today\n");
    folder_.file("worse", "cat mat on the\na dog today\n");
  }
  ShellResult run(const std::string& arguments) {
    return run_shell("skein evaluate " + arguments, folder_.path());
  }
  TemporaryFolder folder_;
};

TEST_F(Evaluate, PrintsOneLineAMetricWithItsSignature) {
  const ShellResult result = run("--reference ref --hypothesis hyp --metrics bleu,chrf,chrf++,ter");
  EXPECT_EQ(result.exit_code, 0);
  // BLEU by hand: 11/11, 8/9, 6/7, 4/5 and exp(1 - 12/11); TER: 1 edit, 12 words.
  EXPECT_NE(result.out.find("|tok:13a|smooth:exp|version:skein-"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find(" = 80.68 100.0/88.9/85.7/80.0 (BP = 0.913 ratio = 0.917 hyp_len = 11 "
                            "ref_len = 12)\n"),
            std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("chrF2++|nrefs:1|"), std::string::npos);
  EXPECT_NE(result.out.find(" = 8.33 (edits = 1 ref_len = 12.00)\n"), std::string::npos)
      << result.out;
}

TEST_F(Evaluate, PrintsJson) {
  const ShellResult result =
      run("--reference ref --hypothesis ref --metrics bleu,ter --format json --sentence-level");
  const nlohmann::json json = nlohmann::json::parse(result.out);
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["name"], "BLEU");
  EXPECT_NEAR(json[0]["score"].get<double>(), 100, 1e-9);
  EXPECT_EQ(json[1]["sentence_scores"], (std::vector<double>{0, 0}));
}

TEST_F(Evaluate, TheTestAgainstABaselineTellsWhoIsBetter) {
  const ShellResult result = run(
      "--reference ref --hypothesis hyp --baseline worse --metrics ter --bootstrap 100 --seed 1");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.out.find("|bs:100|seed:1|"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("better in 100.0 % of the samples"), std::string::npos) << result.out;
}

TEST_F(Evaluate, ScoresOfSentencesComeFirstOneColumnAMetric) {
  const ShellResult result =
      run("--reference ref --hypothesis hyp --metrics ter,chrf --sentence-level --decimals 1");
  EXPECT_EQ(result.out.find("0.0\t100.0\n16.7\t"), 0u) << result.out;
}

TEST_F(Evaluate, TakesTheHypothesisFromAPipe) {
  EXPECT_EQ(run("--reference ref --hypothesis /dev/stdin --metrics ter < ref").exit_code, 0);
}

struct BadUse {
  const char* arguments;
  int exit_code;
  const char* sentence;
};

TEST_F(Evaluate, BadInputEndsInOneSentence) {
  folder_.file("short", "one line\n");
  folder_.file("empty", "");
  folder_.file("latin1", "gut\nsch\xF6n\n");
  const BadUse cases[] = {
      {"--reference short --hypothesis hyp", 1,
       "skein: short has 1 lines and hyp has 2; line by line they must be the same sentences\n"},
      {"--reference ref --hypothesis hyp --baseline short", 1,
       "skein: short has 1 lines and hyp has 2; line by line they must be the same sentences\n"},
      {"--reference ref --hypothesis missing", 1,
       "skein: cannot read missing: No such file or directory; check the name\n"},
      {"--reference ref --hypothesis empty", 1,
       "skein: empty is empty; expected one sentence a line\n"},
      {"--reference ref --hypothesis latin1", 1,
       "skein: latin1:2: byte 4 is not UTF-8; convert the file, for example with `iconv -f LATIN1 "
       "-t UTF-8`\n"},
      {"--reference ref --hypothesis hyp --metrics blue", 2,
       "skein: there is no metric 'blue'; did you mean 'bleu'? (known: bleu chrf chrf++ ter)\n"},
      {"--reference ref --hypothesis hyp --tokenize 13b", 2,
       "skein: there is no BLEU tokenizer '13b'; did you mean '13a'? (known: 13a intl char "
       "none)\n"},
      {"--reference ref --hypothesis hyp --bootstrap -1", 2,
       "skein: --bootstrap -1 is out of range; expected 0 to 1000000\n"},
      {"--reference ref --hypothesis hyp --smooth floor --smooth-value -1", 2,
       "skein: BLEU's smoothing value is -1; expected 0 or more\n"},
      {"--reference ref --hypothesis hyp --format xml", 2,
       "skein: --format 'xml' is unknown; expected text or json\n"},
  };
  for (const BadUse& use : cases) {
    const ShellResult result = run(use.arguments);
    EXPECT_EQ(result.exit_code, use.exit_code) << use.arguments;
    EXPECT_EQ(result.error, use.sentence);
    EXPECT_EQ(result.out, "");
  }
}

}  // namespace
}  // namespace skein
