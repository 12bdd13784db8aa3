// Which trained model a command works with: the flags, and what they load.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "skein/train/load_model.h"

namespace skein::command {

struct ModelChoice {
  std::string checkpoint = {};  // "best", "last" or a path; empty: best, where there is one
  std::string precision = "auto";
};

// --checkpoint and --precision.
void add_model_options(CLI::App& command, ModelChoice& choice);

// `folder`: a model folder or a training's output. Throws what load_model() throws.
LoadedModel load(const std::string& folder, const ModelChoice& choice);

// For models that work together. Throws UsageError if there are several and the choice is one
// checkpoint's folder, which cannot be that of each.
void require_one_each(const std::vector<std::string>& folders, const ModelChoice& choice);

// Whether both make the same tokens of any text.
bool same_vocabulary(const Tokenizer& a, const Tokenizer& b);

}  // namespace skein::command
