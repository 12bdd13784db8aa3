// skein train, as a user calls it, interrupts it and gets it wrong.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "cli/shell.h"
#include "data/temporary_folder.h"
#include "skein/base/files.h"
#include "skein/base/random.h"
#include "skein/train/checkpoint_store.h"

namespace skein {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class TrainCommand : public testing::Test {
 protected:
  TrainCommand() {
    folder_.file("a.en", pairs("one two three four five six seven eight"));
    folder_.file("a.de", pairs("eins zwei drei vier sechs acht neun zehn"));
    const ShellResult made = run(
        "skein vocab --input a.en a.de --type word --size 100 --output v.model && "
        "skein prepare --source en --target de --train a --valid a --vocab v.model --output data");
    EXPECT_EQ(made.exit_code, 0) << made.error;
  }

  static std::string command(const std::string& output, const std::string& more,
                             const std::string& data = "data") {
    return "skein train --threads 1 --data " + data + " --model transformer_tiny --output " +
           output +
           " --model.width 16 --model.ffn 16 --model.heads 2 --model.encoder_layers 1 "
           "--model.decoder_layers 1"
           " --data.max_tokens 40 " +
           more;
  }

  ShellResult run(const std::string& line) const { return run_shell(line, folder_.path()); }

  TemporaryFolder folder_;

 private:
  // Every pair of two different words.
  static std::string pairs(const std::string& text) {
    std::string lines;
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string word; stream >> word;) words.push_back(word);
    for (const std::string& first : words) {
      for (const std::string& second : words) {
        if (first != second) lines.append(first).append(" ").append(second).append("\n");
      }
    }
    return lines;
  }
};

TEST_F(TrainCommand, KilledAtTwentyRandomMomentsItGoesOnAndEndsWithTheSameModel) {
  const std::string settings = "--train.max_updates 200 --checkpoint.every 5 --validation.every 50";
  ASSERT_EQ(run(command("whole", settings)).exit_code, 0);
  Random random(20);
  int64_t newest = 0;
  for (int kill = 0; kill < 20; ++kill) {
    {
      const StartedShell training("exec " + command("killed", settings), folder_.path());
      std::this_thread::sleep_for(std::chrono::milliseconds(30 + random.below(250)));
    }  // killed here
    const auto checkpoints = list_checkpoints(folder_.path() / "killed");
    if (checkpoints.empty()) continue;
    // The newest one under its name is complete, and never older than the one before the kill.
    const Checkpoint checkpoint(checkpoints.back().path);
    EXPECT_GE(checkpoint.state().step, newest);
    checkpoint.model().parameters().require_right_checksum();
    newest = checkpoint.state().step;
  }
  const ShellResult last = run(command("killed", settings));
  ASSERT_EQ(last.exit_code, 0) << last.error;
  for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
    const std::string name = std::string("checkpoints/step-00000200/") + file;
    EXPECT_EQ(read_file(folder_.path() / "whole" / name),
              read_file(folder_.path() / "killed" / name))
        << file;
  }
}

// Sent in turn to the training (`to_group`: to its process group) once its first progress line is
// there.
struct Kill {
  int signal = 0;
  bool to_group = false;
};

TEST_F(TrainCommand, ASignalSavesAndEnds) {
  // Process and group, as `timeout` and batch systems do; two of one kind may become one on their
  // way, an INT and a TERM never.
  for (const std::vector<Kill>& kills : std::vector<std::vector<Kill>>{
           {{SIGINT, false}},
           {{SIGTERM, false}},
           {{SIGINT, false}, {SIGINT, true}},
           {{SIGTERM, false}, {SIGTERM, true}},
           {{SIGINT, false}, {SIGTERM, true}},
       }) {
    SCOPED_TRACE(fmt::format("signal {}, {} in all", kills[0].signal, kills.size()));
    std::filesystem::remove_all(folder_.path() / "run");
    StartedShell training(
        "exec " + command("run", "--train.max_updates 1000000 --train.log_every 1000000"),
        folder_.path());
    while (training.error().find("epoch 1 ") == std::string::npos && !training.ended())
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_FALSE(training.ended()) << training.error();
    for (const Kill& kill : kills)
      ::kill(kill.to_group ? -training.id() : training.id(), kill.signal);
    const ShellResult result = training.wait();
    // As the signal would have ended it; of two kinds either may come first.
    if (kills.front().signal == kills.back().signal) {
      EXPECT_EQ(result.exit_code, 128 + kills[0].signal) << result.error;
    } else {
      EXPECT_THAT(result.exit_code, testing::AnyOf(128 + SIGINT, 128 + SIGTERM)) << result.error;
    }
    const auto checkpoints = list_checkpoints(folder_.path() / "run");
    ASSERT_FALSE(checkpoints.empty());
    EXPECT_THAT(result.error, HasSubstr("interrupted after " +
                                        std::to_string(checkpoints.back().step) + " updates"));
    Checkpoint(checkpoints.back().path).model().parameters().require_right_checksum();
  }
}

TEST_F(TrainCommand, HelpListsTheSettingsOfTheModel) {
  const ShellResult result = run("skein train --model transformer_tiny --help");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  for (const char* setting : {"--train.max_epochs ", "--optimizer.lr ", "--checkpoint.keep_last "})
    EXPECT_THAT(result.out, HasSubstr(setting));
  EXPECT_THAT(result.out, testing::ContainsRegex("--model.width .* \\[128\\]"));
  for (const char* line :
       {"how parameters are updated: adafactor, adam, adamw, nag, sgd ['adam']\n",
        ": cosine, fixed, inverse_sqrt, plateau, polynomial, tri_stage, triangular ['",
        ": cross_entropy, label_smoothed_cross_entropy ['", ": post, pre ['", ": loss, bleu ['"})
    EXPECT_THAT(result.out, HasSubstr(line));
  EXPECT_THAT(run("skein train --help").out, testing::ContainsRegex("--model.width .* \\[256\\]"));
}

// 56 pairs in one batch: the first update is all of epoch 1.
TEST_F(TrainCommand, TheLastUpdateOfAnEpochCountsToIt) {
  const ShellResult result = run(command("run", "--train.max_epochs 1 --data.max_tokens 1000"));
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.error, HasSubstr("epoch 1  1  loss "));
  EXPECT_THAT(result.error, HasSubstr("done after 1 updates"));
}

// A model's 1024 positions hold 1023 words and the end mark.
TEST_F(TrainCommand, WhatPrepareKeepsFitsTheModelsUnlessItIsForValidation) {
  for (const char* side : {"en", "de"}) {
    std::string line = "one";
    for (int words = 1; words < 1023; ++words) line += " one";
    folder_.file(std::string("long.") + side, line + "\n" + line + " one\n");
  }
  const std::string prepare = "skein prepare --source en --target de --vocab v.model";
  const ShellResult kept = run(prepare + " --train long --valid a --output kept");
  EXPECT_THAT(kept.error, HasSubstr("2 read, 1 kept"));
  EXPECT_THAT(kept.error, HasSubstr("left out: 1 longer than 1023 tokens"));
  const std::string more = "--train.max_updates 1 --data.max_tokens 2000";
  const ShellResult trained = run(command("run", more, "kept"));
  EXPECT_EQ(trained.exit_code, 0) << trained.error;
  ASSERT_EQ(run(prepare + " --train a --valid long --output long").exit_code, 0);
  const ShellResult refused = run(command("refused", more, "long"));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.error,
              HasSubstr("1 of the 2 samples of long/valid.skd do not fit the model's 1024 "));
}

TEST_F(TrainCommand, JsonLogIsOneObjectALine) {
  const ShellResult result =
      run(command("run", "--train.max_updates 4 --train.log_every 2 --log-format json"));
  EXPECT_EQ(result.exit_code, 0) << result.error;
  std::istringstream lines(result.error);
  for (std::string line; std::getline(lines, line);)
    EXPECT_THAT(line, AllOf(testing::StartsWith("{"), testing::EndsWith("}")));
  EXPECT_THAT(result.error, HasSubstr("\"event\":\"valid\""));
}

TEST_F(TrainCommand, WrongInputGetsOneSentence) {
  const std::string model = " --data data --output x ";
  folder_.file("number.toml", "[model]\nname = 3\n");
  folder_.file("flat.toml", "model = \"transformer_tiny\"\n");
  for (const auto& [line, exit_code, sentence] :
       {std::tuple("skein train --model transformer_tinny" + model, 2,
                   "did you mean 'transformer_tiny'?"),
        std::tuple("skein train" + model, 2, "which model?"),
        std::tuple("skein train --model transformer_tiny" + model, 2, "training has no end"),
        std::tuple("skein train --model transformer_tiny --model.widht 3" + model, 2,
                   "did you mean '--model.width'?"),
        std::tuple(
            "skein train --model transformer_tiny --model.heads 3 --train.max_updates 1" + model, 2,
            "model.width = 128 is not a multiple of model.heads = 3"),
        std::tuple("skein train --model transformer_tiny --model.dropout 1.5" + model, 2,
                   "out of range"),
        std::tuple("skein train --model transformer_lm_tiny --train.max_updates 1" + model, 2,
                   "this model is a language model"),
        std::tuple(std::string("skein train --model transformer_tiny --data nowhere --output x "
                               "--train.max_updates 1"),
                   1, "nowhere"),
        std::tuple(
            "skein train --model transformer_tiny --train.max_updates 1 --data.max_tokens 2" +
                model,
            2, "max_tokens"),
        std::tuple(
            std::string(
                "skein train --model transformer_tiny --train.max_updates 1 --data data --output "
                "a.en"),
            1, "a.en"),
        std::tuple("skein train --config nowhere.toml" + model, 1, "nowhere.toml"),
        std::tuple("skein train --config number.toml" + model, 2,
                   ": model.name must be text in quotes"),
        std::tuple("skein train --config flat.toml" + model, 2,
                   ": model is a value; expected a table, [model], with name = "),
        std::tuple(
            "skein train --model transformer_tiny --optimizer.name adm" + model, 2,
            "optimizer.name = 'adm': did you mean 'adam'? expected one of adafactor, adam,")}) {
    const ShellResult result = run(line);
    EXPECT_EQ(result.exit_code, exit_code) << line << "\n" << result.error;
    EXPECT_THAT(result.error, AllOf(testing::StartsWith("skein: "), HasSubstr(sentence))) << line;
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
  }
}

TEST_F(TrainCommand, ADamagedCheckpointIsNamedWithTheWayOn) {
  const std::string training = command("run", "--train.max_updates 6 --checkpoint.every 2");
  ASSERT_EQ(run(training).exit_code, 0);
  ASSERT_EQ(run("cp -r run whole").exit_code, 0);
  const std::string newest = "run/checkpoints/step-00000006";
  const std::string remove_newest =
      " remove the folder " + newest + " to go on from step-00000005\n";
  using Case = std::pair<std::string, std::string>;
  for (const auto& [damage, sentence] :
       {Case("rm state.json", "the checkpoint " + newest + " is incomplete, state.json is missing"),
        Case("rm optimizer.safetensors", "is incomplete, optimizer.safetensors is missing"),
        Case("rm vocab.model", "is incomplete, vocab.model is missing"),
        Case("rm model.safetensors", "is incomplete, model.safetensors is missing"),
        Case("truncate -s -1 optimizer.safetensors", newest + "/optimizer.safetensors: "),
        Case("truncate -s -1 model.safetensors", newest + "/model.safetensors: ")}) {
    run("rm -r run && cp -r whole run && cd " + newest + " && " + damage);
    const ShellResult result = run(training);
    EXPECT_EQ(result.exit_code, 1) << damage;
    EXPECT_THAT(result.error, AllOf(HasSubstr(sentence), testing::EndsWith(remove_newest)));
    EXPECT_THAT(result.error, Not(HasSubstr("check the name")));
    const ShellResult went_on = run("rm -r " + newest + " && " + training);
    EXPECT_EQ(went_on.exit_code, 0) << went_on.error;
    EXPECT_THAT(went_on.error, HasSubstr("going on from run/checkpoints/step-00000005"));
  }
  const ShellResult alone =
      run("rm -r run/checkpoints/step-0000000[1-5] run/checkpoints/*6/state.json; " + training);
  EXPECT_THAT(alone.error, testing::EndsWith("remove the folder " + newest + " to start anew\n"));
}

TEST_F(TrainCommand, IncompleteDataIsToBePreparedAgain) {
  for (const std::string name : {"train.skd", "valid.skd", "vocab.model"}) {
    const ShellResult result = run("rm -rf part; cp -r data part; rm part/" + name + "; " +
                                   command("run", "--train.max_updates 1", "part"));
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.error, "skein: the data in part is incomplete, " + name +
                                " is missing; run skein prepare again\n");
  }
}

TEST_F(TrainCommand, TellsWhichBoundEndedIt) {
  for (const auto& [bound, sentence] :
       {std::pair("--train.max_updates 2", "done after 2 updates: train.max_updates; "),
        std::pair("--train.max_epochs 1 --data.max_tokens 1000",
                  "done after 1 updates: 1 epochs (train.max_epochs); "),
        std::pair("--train.max_minutes 1e-9", "done after 0 updates: 1e-09 minutes (train.max_"),
        std::pair("--train.max_updates 1000 --validation.every 1 --validation.patience 2 "
                  "--optimizer.lr 0 --schedule.name fixed",
                  "done after 3 updates: no new best in 2 validations (validation.patience); ")}) {
    const ShellResult result = run("rm -rf run; " + command("run", bound));
    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_THAT(result.error, HasSubstr(sentence));
  }
}

TEST_F(TrainCommand, LossesThatAreNotFiniteGetARemedyThatHelps) {
  const std::string huge =
      "--train.max_updates 100 --optimizer.lr 1e6 --schedule.name fixed "
      "--optimizer.name sgd --train.precision f32 ";
  const ShellResult clipped = run(command("run", huge + "--train.clip_norm 1e15"));
  EXPECT_EQ(clipped.exit_code, 1);
  EXPECT_THAT(clipped.error, HasSubstr("; train anew, with another --output, with a smaller "
                                       "optimizer.lr"));
  EXPECT_THAT(clipped.error, Not(HasSubstr("resume")));
}

TEST_F(TrainCommand, AFullDiskIsSaidAndTheLastCheckpointStaysWhole) {
  ASSERT_EQ(run(command("run", "--train.max_updates 2")).exit_code, 0);
  // A limit on the size of files stands for the full disk: the next checkpoint does not fit.
  const ShellResult result =
      run("trap '' XFSZ; ulimit -f 20; " + command("run", "--train.max_updates 4"));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.error, HasSubstr("cannot write"));
  const auto checkpoints = list_checkpoints(folder_.path() / "run");
  ASSERT_EQ(checkpoints.size(), 1u);
  EXPECT_EQ(Checkpoint(checkpoints.front().path).state().step, 2);
}

TEST_F(TrainCommand, SaysWhichPartOfTheDataOrTheModelIsLost) {
  ASSERT_EQ(run(command("model", "--train.max_updates 1")).exit_code, 0);
  const ShellResult no_best =
      run("rm model/best && echo one | skein translate --model model --checkpoint best");
  EXPECT_EQ(no_best.exit_code, 1);
  EXPECT_EQ(no_best.error,
            "skein: model has no best checkpoint (its training has not validated yet); leave out "
            "--checkpoint, or name a checkpoint's folder\n");
  EXPECT_EQ(run("echo one | skein translate --model model").exit_code, 0);
  const ShellResult no_text =
      run("cp -r data lost && rm lost/valid.target.txt && " +
          command("none", "--train.max_updates 1 --validation.bleu true", "lost"));
  EXPECT_EQ(no_text.exit_code, 1);
  EXPECT_THAT(no_text.error, HasSubstr("the data in lost is incomplete, valid.target.txt is "
                                       "missing; run skein prepare again"));
  EXPECT_EQ(run(command("none", "--train.max_updates 1", "lost")).exit_code, 0);
}

TEST_F(TrainCommand, TrainsOnSeveralFoldersWithWeightsAndOtherSplits) {
  const ShellResult made =
      run("skein vocab --input a.en a.de --type bpe --size 40 --output bpe.model && "
          "skein prepare --source en --target de --train a --valid a --vocab bpe.model --output "
          "first && "
          "head -n 14 a.en >b.en && head -n 14 a.de >b.de && "
          "skein prepare --source en --target de --train b --valid b --vocab bpe.model --output "
          "second");
  ASSERT_EQ(made.exit_code, 0) << made.error;
  const std::string sampling = "--data.source_sampling 0.2 --data.target_sampling 0.2 ";
  const ShellResult result =
      run(command("model", sampling + "--data.temperature 2 --train.max_epochs 1", "first second"));
  ASSERT_EQ(result.exit_code, 0) << result.error;
  // Every pair of two different words: 56. (14/56)^(1/2 - 1) = 2.
  EXPECT_THAT(result.error, HasSubstr("first/train.skd: 56 samples, 1 times an epoch"));
  EXPECT_THAT(result.error, HasSubstr("second/train.skd: 14 samples, 2 times an epoch"));
  EXPECT_EQ(run("echo one two | skein translate --model model").exit_code, 0);

  const auto error_of = [&](const std::string& more, const std::string& data) {
    const ShellResult failed = run(command("none", more + " --train.max_epochs 1", data));
    EXPECT_NE(failed.exit_code, 0);
    return failed.error;
  };
  EXPECT_THAT(error_of("--data.weights 1,2,3", "first second"),
              HasSubstr("data.weights has 3 numbers for 2 folders of data"));
  EXPECT_THAT(error_of("", "first data"), HasSubstr("data was prepared with another vocabulary"));
  EXPECT_THAT(error_of("--data.source_sampling 0.1", "data"),
              HasSubstr("a vocabulary of type word splits a sentence in one way only"));
  EXPECT_THAT(error_of("", "first nowhere"), HasSubstr("nowhere is no prepared data"));
}

}  // namespace
}  // namespace skein
