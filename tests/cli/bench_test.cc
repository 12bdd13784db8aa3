// skein bench, as a user calls it. What is measured is not asserted: machines differ.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/trained_model.h"

namespace skein {
namespace {

using testing::HasSubstr;

const std::string kTiny =
    " --threads 1 --model transformer_tiny --model.width 16 --model.ffn 16 --model.heads 2 "
    "--model.encoder_layers 1 --model.decoder_layers 1 --vocabulary 50 ";

std::vector<nlohmann::json> json_lines(const std::string& text) {
  std::vector<nlohmann::json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

// The only line of a command that succeeds.
nlohmann::json measurement(const ShellResult& result) {
  EXPECT_EQ(result.exit_code, 0) << result.error;
  const auto lines = json_lines(result.out);
  EXPECT_EQ(lines.size(), 1u) << result.out;
  return lines.empty() ? nlohmann::json() : lines[0];
}

void expect_positive(const nlohmann::json& row, const std::vector<std::string>& names) {
  for (const std::string& name : names) EXPECT_GT(row.at(name).get<double>(), 0) << name;
}

void expect_refusal(const ShellResult& result, int exit_code, const std::string& sentence) {
  EXPECT_EQ(result.exit_code, exit_code) << result.error;
  EXPECT_THAT(result.error, HasSubstr(sentence));
  EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
  EXPECT_EQ(result.out, "");
}

TEST(BenchTrain, PrintsALineOfJson) {
  const auto row =
      measurement(run_shell("skein bench train" + kTiny +
                            "--updates 1 --warmup 1 --data.max_tokens 200 --train.precision f32"));
  EXPECT_EQ(row.at("benchmark"), "train");
  EXPECT_EQ(row.at("model"), "transformer_tiny");
  EXPECT_EQ(row.at("precision"), "f32");
  EXPECT_EQ(row.at("threads"), 1);
  EXPECT_EQ(row.at("max_tokens"), 200);
  expect_positive(
      row, {"seconds_per_update", "source_tokens_per_second", "target_tokens_per_second", "gflops",
            "product_gflops", "peak_resident_mb"});
}

TEST(BenchTrain, WritesItsBatchesForOthers) {
  const TemporaryFolder folder;
  const ShellResult result = run_shell(
      "skein bench train" + kTiny + "--data.max_tokens 200 --write-batches batches", folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(result.out, "");
  const auto rows = json_lines(read_file(folder.path() / "batches"));
  EXPECT_GE(rows.size(), 7u);
  EXPECT_EQ(rows[0].at("source").size(), rows[0].at("target").size());
}

TEST(BenchTrain, AnswersWhatIsWrongInOneSentence) {
  const auto run = [](const std::string& arguments) {
    return run_shell("skein bench train" + arguments);
  };
  expect_refusal(run(" --model transformer_tin"), 2, "did you mean 'transformer_tiny'?");
  expect_refusal(run(kTiny + "--updates 0"), 2, "skein: 0 measured updates after 8 others; ");
  expect_refusal(run(kTiny + "--data.max_tokens 9"), 2, "skein: batches of 9 tokens cannot hold ");
  expect_refusal(run(kTiny + "extra"), 2,
                 "skein: unexpected argument 'extra'; see `skein bench train --help`");
  expect_refusal(run(" --vocabulary 4"), 2, "skein: a vocabulary of 4 tokens has no word; ");
}

const std::vector<std::string> kDecodingNumbers = {"seconds", "sentences_per_second",
                                                   "target_tokens_per_second", "latency_ms",
                                                   "peak_resident_mb"};

TEST(BenchDecode, PrintsALineOfJson) {
  const auto row = measurement(
      run_shell("skein bench decode" + kTiny +
                "--sentences 4 --runs 2 --alone 1 --beam 2 --batch-tokens 99 --precision f32"));
  EXPECT_EQ(row.at("benchmark"), "decode");
  EXPECT_EQ(row.at("model"), "transformer_tiny");
  EXPECT_EQ(row.at("precision"), "f32");
  EXPECT_EQ(row.at("threads"), 1);
  EXPECT_EQ(row.at("beam"), 2);
  EXPECT_EQ(row.at("batch_tokens"), 99);
  EXPECT_EQ(row.at("sentences"), 4);
  EXPECT_LT(row.at("log_probability").get<double>(), 0);
  EXPECT_GE(row.at("peak_tensor_mb").get<int64_t>(), 0);
  EXPECT_FALSE(row.contains("hypotheses"));
  expect_positive(row, kDecodingNumbers);
  expect_positive(row, {"parameters"});
}

TEST(BenchScore, PrintsALineOfJson) {
  const auto row = measurement(run_shell(
      "skein bench score --threads 1 --model fconv_lm_small --model.layers 16x3 --length 9 "
      "--vocabulary 50 --sentences 4 --runs 1 --precision f32"));
  EXPECT_EQ(row.at("benchmark"), "score");
  EXPECT_EQ(row.at("model"), "fconv_lm_small");
  EXPECT_EQ(row.at("length"), 9);
  EXPECT_LT(row.at("log_probability").get<double>(), 0);
  expect_positive(row, {"parameters", "latency_ms", "tokens_per_second", "peak_resident_mb"});
  expect_refusal(run_shell("skein bench score --model transformer_tiny"), 2, "a language model");
}

TEST(BenchDecode, WritesItsTaskForOthers) {
  const TemporaryFolder folder;
  const ShellResult result =
      run_shell("skein bench decode" + kTiny + "--sentences 4 --write task", folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(json_lines(read_file(folder.path() / "task/sentences.jsonl")).size(), 4u);
  EXPECT_THAT(read_file(folder.path() / "task/config.toml"), HasSubstr("heads = 2"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "task/model.safetensors"));
}

TEST(BenchDecode, WritesWhatItFoundToCompareWithOthers) {
  const TemporaryFolder folder;
  const std::string command = "skein bench decode" + kTiny + "--sentences 4 --beam 2 ";
  ASSERT_EQ(run_shell(command + "--write task", folder.path()).exit_code, 0);
  const auto row = measurement(
      run_shell(command + "--runs 1 --alone 1 --hypotheses found.jsonl", folder.path()));
  EXPECT_EQ(row.at("hypotheses"), "found.jsonl");
  EXPECT_THAT(row.at("settings").get<std::string>(), HasSubstr("--model.width 16 --model.ffn 16"));
  const auto task = json_lines(read_file(folder.path() / "task/sentences.jsonl"));
  const auto found = json_lines(read_file(folder.path() / "found.jsonl"));
  ASSERT_EQ(found.size(), task.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].size(), task[i].at("target").size());
  }
}

using BenchDecodeTrained = TrainedModel;

TEST_F(BenchDecodeTrained, MeasuresRandomSentencesOrAFile) {
  const std::string command =
      "skein bench decode --threads 1 --runs 1 --alone 1 --model-dir model ";
  const auto random = measurement(run(command + "--sentences 3"));
  EXPECT_EQ(random.at("model"), "model");
  EXPECT_EQ(random.at("sentences"), 3);
  expect_positive(random, kDecodingNumbers);
  expect_positive(random, {"load_seconds"});
  const auto file = measurement(run(command + "--input a.en"));
  EXPECT_EQ(file.at("sentences"), 25);
  expect_positive(file, kDecodingNumbers);
}

TEST_F(BenchDecodeTrained, AnswersWhatIsWrongInOneSentence) {
  const auto decode = [&](const std::string& arguments) {
    return run("skein bench decode --threads 1 " + arguments);
  };
  expect_refusal(decode("--model-dir nowhere"), 1, "skein: there is no folder nowhere; ");
  expect_refusal(decode("--model-dir model --input nowhere"), 1, "skein: cannot read nowhere: ");
  expect_refusal(decode("--model-dir model --input <(printf '\\n')"), 1,
                 " has no line with content; expected sentences to translate");
  expect_refusal(decode("--model-dir model --model transformer_tiny"), 2,
                 "skein: --model excludes --model-dir");
  expect_refusal(decode("--model-dir model --model.width 16"), 2,
                 "skein: unknown flag or setting '--model.width'");
  expect_refusal(decode("--model-dir model --runs 1 --hypotheses nowhere/found"), 1,
                 "skein: cannot write nowhere/found");
  expect_refusal(decode("--model-dir model --write task"), 2,
                 "skein: --write takes random parameters; expected --model instead of --model-dir");
  expect_refusal(decode("--input a.en"), 2,
                 "skein: --input needs a trained model, whose vocabulary reads it; expected "
                 "--model-dir too");
  expect_refusal(decode("--model transformer_tin"), 2, "did you mean 'transformer_tiny'?");
  expect_refusal(decode("--model transformer_lm_tiny --vocabulary 50"), 2,
                 "skein: transformer_lm_tiny is a language model; expected one that translates");
  expect_refusal(decode("--model transformer_tiny --vocabulary 50 --runs 0"), 2,
                 "skein: the number of runs is 0; expected at least 1");
  expect_refusal(decode("--model transformer_tiny --vocabulary 50 --beams 2"), 2,
                 "skein: unknown flag or setting '--beams'; did you mean '--beam'?");
  expect_refusal(decode("--model transformer_tiny --vocabulary 50 --model.max_positions 8"), 2,
                 " tokens; the model takes at most 8");
}

TEST(BenchKernels, PrintsALineOfJsonAKernel) {
  const ShellResult result = run_shell(
      "skein bench kernels --threads 1 --seconds 0.001 --filter '^layer/512/512/|gelu|best' "
      "--precision f32");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  const auto rows = json_lines(result.out);
  ASSERT_EQ(rows.size(), 3u) << result.out;
  const std::vector<std::string> names = {"best_product", "layer", "gelu"};
  const std::vector<std::string> rates = {"gflops", "gflops", "gb_per_second"};
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].at("benchmark"), "kernels");
    EXPECT_EQ(rows[i].at("kernel"), names[i]);
    EXPECT_EQ(rows[i].at("precision"), "f32");
    EXPECT_EQ(rows[i].at("threads"), 1);
    EXPECT_EQ(rows[i].at("clock"), "processor");
    expect_positive(rows[i], {"seconds", rates[i]});
  }
  EXPECT_EQ(rows[1].at("shape"), (std::vector<int64_t>{512, 512, 512}));
}

TEST(BenchKernels, AnswersWhatIsWrongInOneSentence) {
  const auto run = [](const std::string& arguments) {
    return run_shell("skein bench kernels " + arguments);
  };
  expect_refusal(run("--filter xyzzy"), 2,
                 "skein: no kernel matches 'xyzzy'; there are best_product, ");
  expect_refusal(run("--filter '['"), 2, "skein: '[' is no regular expression; ");
  expect_refusal(run("--seconds 0"), 2, "--seconds");
  expect_refusal(run("--precision f64"), 2, "--precision");
}

TEST(Bench, NeedsToKnowWhatToMeasure) {
  expect_refusal(run_shell("skein bench"), 2, "see `skein bench --help`");
  expect_refusal(run_shell("skein bench trian"), 2, "did you mean 'train'?");
}

}  // namespace
}  // namespace skein
