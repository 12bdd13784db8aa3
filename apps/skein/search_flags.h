// Flags of searches, which `skein translate` and `skein generate` share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "skein/decode/search_options.h"

namespace skein::command {

// --length-penalty, --no-repeat-ngram, --unk-penalty, --temperature.
void add_score_flags(CLI::App& command, SearchOptions& search, double& temperature);

// --top-k, --top-p, --seed.
void add_sampling_flags(CLI::App& command, SamplingOptions& sampling);

// --constraint-order; `order`: "any" or "given".
void add_constraint_order_flag(CLI::App& command, std::string& order);
ConstraintOrder constraint_order_from_name(std::string_view name);

// --diverse-groups, --diverse-strength, --diverse-discount, --sibling-penalty.
void add_diversity_flags(CLI::App& command, DiversityOptions& diversity);

}  // namespace skein::command
