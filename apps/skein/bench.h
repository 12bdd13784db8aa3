// The measurements of `skein bench`, a file each: bench_NAME.cc.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>

#include "skein/tensor/dtype.h"

namespace skein::command {

void add_bench_train(CLI::App& bench);
void add_bench_decode(CLI::App& bench);
void add_bench_score(CLI::App& bench);
void add_bench_kernels(CLI::App& bench);

// "bf16", "f32".
const char* precision_name(DType type);

// One measurement: one line of JSON on standard output, there at once.
void print_measurement(const nlohmann::json& measurement);

}  // namespace skein::command
