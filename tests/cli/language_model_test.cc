// Language models, as a user trains them and gets it wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cli/shell.h"
#include "data/temporary_folder.h"
#include "skein/base/files.h"

namespace skein {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class LanguageModelCommands : public testing::Test {
 protected:
  LanguageModelCommands() {
    std::string lines;
    for (const char* first : {"one", "two", "three", "four"}) {
      for (const char* second : {"five", "six", "seven", "eight", "nine"}) {
        lines.append(first).append(" ").append(second).append(" ").append(first).append("\n");
      }
    }
    folder_.file("a.en", lines);
    folder_.file("a.de", lines);
    const ShellResult made = run(
        "skein vocab --input a.en --type word --size 100 --output v.model && "
        "skein prepare --monolingual en --train a --valid a --vocab v.model --output data && "
        "skein prepare --source en --target de --train a --valid a --vocab v.model --output pairs");
    EXPECT_EQ(made.exit_code, 0) << made.error;
  }

  // 13 words: the special ones and nine others.
  static std::string convolutions(const std::string& output, const std::string& more) {
    return "skein train --threads 1 --data data --model fconv_lm_small --output " + output +
           " --model.layers '16x3 (8x1:0 8x2:0 16x1:3)' --model.embedding 8 --model.cutoffs '6 10'"
           " --data.max_tokens 16 --data.break_mode none --data.block_tokens 7"
           " --optimizer.name nag --optimizer.lr 0.5 --optimizer.weight_decay 5e-6"
           " --train.clip_norm 0.1 --schedule.name plateau --schedule.shrink 0.5 " +
           more;
  }

  ShellResult run(const std::string& line) const { return run_shell(line, folder_.path()); }

  void expect_refusal(const std::string& line, int exit_code, const std::string& sentence) const {
    const ShellResult result = run(line);
    EXPECT_EQ(result.exit_code, exit_code) << line << "\n" << result.error;
    EXPECT_THAT(result.error, HasSubstr(sentence)) << line;
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
  }

  TemporaryFolder folder_;
};

// The recipe of Dauphin et al. 2016, on a text that is learned by heart.
TEST_F(LanguageModelCommands, AGatedConvolutionalModelWithAnAdaptiveSoftmaxLearns) {
  const ShellResult result = run(convolutions("model", "--train.max_epochs 40"));
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const std::string log = read_file(folder_.path() / "model" / "log.jsonl");
  const size_t last = log.rfind("\"ppl\":");
  ASSERT_NE(last, std::string::npos);
  // Of five second words one is right: the mean over a line's four tokens is 20^(1/4) = 2.1 at
  // best, of a model that knows nothing 13.
  EXPECT_LT(std::stod(log.substr(last + 6)), 6);
  const ShellResult seen = run("skein inspect model");
  EXPECT_EQ(seen.exit_code, 0) << seen.error;
  EXPECT_THAT(seen.out, AllOf(HasSubstr("output.head.weight"), HasSubstr("cutoffs = '6 10'"),
                              HasSubstr("name = 'cross_entropy'"), HasSubstr("break_mode")));
  EXPECT_EQ(run("skein average --model model --last 2 --output mean").exit_code, 0);
  expect_refusal("skein score --model mean --source a.en --target a.en", 2,
                 "is a language model: it has no source side");
  expect_refusal("skein translate --model mean --input a.en", 2, "language model");
}

// Plateau and momentum, in the middle of an epoch, and blocks of whole sentences.
TEST_F(LanguageModelCommands, GoesOnToTheBit) {
  const std::string settings = "--data.break_mode complete --train.max_updates ";
  ASSERT_EQ(run(convolutions("whole", settings + "24")).exit_code, 0);
  ASSERT_EQ(run(convolutions("parts", settings + "11")).exit_code, 0);
  const ShellResult rest = run(convolutions("parts", settings + "24"));
  ASSERT_EQ(rest.exit_code, 0) << rest.error;
  for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
    const std::string name = std::string("checkpoints/step-00000024/") + file;
    EXPECT_EQ(read_file(folder_.path() / "whole" / name),
              read_file(folder_.path() / "parts" / name))
        << file;
  }
}

TEST_F(LanguageModelCommands, ATransformerSharesAdaptiveInputAndSoftmax) {
  const ShellResult result =
      run("skein train --threads 1 --data data --model transformer_lm_wiki103 --output model"
          " --model.width 16 --model.ffn 16 --model.heads 2 --model.decoder_layers 2"
          " --model.cutoffs '6 10' --data.break_mode complete --data.block_tokens 12"
          " --optimizer.lr 0.01 --schedule.name fixed --schedule.force_anneal 2"
          " --train.max_epochs 3");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(run("skein inspect model").out, HasSubstr("output.classes.weight"));
}

TEST_F(LanguageModelCommands, AreBenchmarked) {
  const ShellResult result =
      run("skein bench train --threads 1 --model fconv_lm_small --vocabulary 50 --model.cutoffs 20"
          " --model.layers 8x3 --model.embedding 4 --updates 1 --warmup 0 --data.max_tokens 200");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.out, HasSubstr("\"target_tokens_per_second\""));
  expect_refusal("skein bench decode --model fconv_lm_small", 2,
                 "fconv_lm_small is a language model; expected one that translates");
}

TEST_F(LanguageModelCommands, WrongInputGetsOneSentence) {
  expect_refusal(convolutions("x", "--train.max_updates 1 --model.cutoffs '6 13'"), 2,
                 "'13' is no cut-off of a vocabulary of 13");
  expect_refusal(convolutions("x",
                              "--train.max_updates 1 --criterion.name "
                              "label_smoothed_cross_entropy"),
                 2, "an adaptive softmax leaves out in training; set criterion.name");
  expect_refusal(convolutions("x", "--train.max_updates 1 --data.block_tokens 17"), 2,
                 "raise data.max_tokens to 17 or lower data.block_tokens");
  expect_refusal(convolutions("x", "--train.max_updates 1 --model.max_positions 6"), 2,
                 "do not fit the model's 6 positions; raise model.max_positions or lower "
                 "data.block_tokens");
  expect_refusal(convolutions("x", "--train.max_updates 1 --data.break_mode all"), 2,
                 "data.break_mode");
  expect_refusal(convolutions("x", "--train.max_updates 1 --validation.bleu true"), 2,
                 "a language model does not translate");
  expect_refusal(
      "skein train --data pairs --model transformer_tiny --output x --train.max_updates 1 "
      "--data.break_mode none",
      2, "sentence pairs cannot be cut into blocks");
  expect_refusal(
      "skein train --data data --model transformer_lm_tiny --output x --train.max_updates 1 "
      "--model.cutoffs 6",
      2, "set model.adaptive_input to true, or share none");
  expect_refusal(
      "skein train --data data --model transformer_lm_tiny --output x --train.max_updates 1 "
      "--model.adaptive_input true",
      2, "needs the bands of words that model.cutoffs names");
  expect_refusal(
      "skein train --data pairs --model transformer_tiny --output x --train.max_updates 1 "
      "--model.cutoffs 6",
      2, "are for language models");
}

}  // namespace
}  // namespace skein
