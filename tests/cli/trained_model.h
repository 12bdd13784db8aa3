// A folder with a model that `skein train` made in one update: it translates, but not well.
#pragma once

#include <gtest/gtest.h>

#include "cli/shell.h"
#include "data/temporary_folder.h"

namespace skein {

// `a.en`, `a.de` (25 lines each) and `model`, with positions for 39 characters of "onetwhrfiv ..."
// and their end.
class TrainedModel : public testing::Test {
 protected:
  TrainedModel() {
    folder_.file("a.en", pairs({"one", "two", "three", "four", "five"}));
    folder_.file("a.de", pairs({"eins", "zwei", "drei", "vier", "sechs"}));
    const ShellResult made = run(
        "skein vocab --input a.en a.de --type char --size 100 --output v.model && "
        "skein prepare --source en --target de --train a --valid a --vocab v.model --output data "
        "&& skein train --threads 1 --data data --model transformer_tiny --output model "
        "--train.max_updates 1 --model.width 16 --model.ffn 16 --model.heads 2 "
        "--model.max_positions 40 --model.encoder_layers 1 --model.decoder_layers 1");
    EXPECT_EQ(made.exit_code, 0) << made.error;
  }

  ShellResult run(const std::string& line) const { return run_shell(line, folder_.path()); }

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
