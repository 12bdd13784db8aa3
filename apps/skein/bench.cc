// `skein bench`: prints one JSON line a measurement.
#include "apps/skein/bench.h"

#include <nlohmann/json.hpp>

#include "apps/skein/commands.h"

namespace skein::command {

const char* precision_name(DType type) { return type == DType::kBF16 ? "bf16" : "f32"; }

void print_measurement(const nlohmann::json& measurement) {
  print(measurement.dump() + "\n");
  flush_output();
}

void add_bench_command(CLI::App& app) {
  CLI::App* bench =
      app.add_subcommand("bench", "Measure this machine: one JSON line a measurement");
  bench->require_subcommand(1);
  add_bench_train(*bench);
  add_bench_decode(*bench);
  add_bench_score(*bench);
  add_bench_kernels(*bench);
}

}  // namespace skein::command
