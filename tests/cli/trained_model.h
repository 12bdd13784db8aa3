// Folders with models that `skein train` made in one update: they translate, but not well.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "cli/shell.h"
#include "data/temporary_folder.h"

namespace skein {

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// `a.en`, `a.de` (25 lines each) and `model`, with positions for 39 characters of "onetwhrfiv ..."
// and their end.
class TrainedModel : public testing::Test {
 protected:
  TrainedModel() {
    folder_.file("a.en", pairs({"one", "two", "three", "four", "five"}));
    folder_.file("a.de", pairs({"eins", "zwei", "drei", "vier", "sechs"}));
    make("skein vocab --input a.en a.de --type char --size 100 --output v.model");
    make_model("--source en --target de", "data", "transformer_tiny", "model");
  }

  // A language model of the target language, with the same vocabulary and positions: `lm`.
  void make_language_model() {
    make_model("--monolingual de", "lm_data", "transformer_lm_tiny", "lm");
  }
  // A model that translates back: `back`.
  void make_channel_model() {
    make_model("--source de --target en", "back_data", "transformer_tiny", "back");
  }

  void make_model(const std::string& languages, const std::string& data, const std::string& preset,
                  const std::string& output, const std::string& vocabulary = "v.model",
                  const std::string& settings = "") {
    const bool translates = preset == "transformer_tiny";
    make("skein prepare " + languages + " --train a --valid a --vocab " + vocabulary +
         " --output " + data + " && skein train --threads 1 --data " + data + " --model " + preset +
         " --output " + output +
         " --train.max_updates 1 --model.width 16 --model.ffn 16 --model.heads 2 "
         "--model.max_positions 40 --model.decoder_layers 1" +
         (translates ? " --model.encoder_layers 1" : "") + settings);
  }

  void make(const std::string& line) const {
    const ShellResult made = run(line);
    EXPECT_EQ(made.exit_code, 0) << made.error;
  }

  ShellResult run(const std::string& line) const { return run_shell(line, folder_.path()); }

  // A command line that must fail, and how.
  struct Failure {
    std::string arguments;
    int exit_code;
    std::string sentence;
  };
  void expect_failures(const std::string& command, const std::vector<Failure>& failures) const {
    for (const Failure& each : failures) {
      const ShellResult result = run(command + " " + each.arguments);
      EXPECT_EQ(result.exit_code, each.exit_code) << each.arguments;
      EXPECT_NE(result.error.find(each.sentence), std::string::npos) << each.arguments << "\n"
                                                                     << result.error;
      EXPECT_EQ(lines_of(result.error).size(), 1u) << result.error;
    }
  }

  TemporaryFolder folder_;

 private:
  static std::string pairs(const std::vector<std::string>& words) {
    std::string lines;
    for (const std::string& first : words) {
      for (const std::string& second : words) lines += first + " " + second + "\n";
    }
    return lines;
  }
};

}  // namespace skein
