// `skein bench train`.
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/skein/bench.h"
#include "apps/skein/commands.h"
#include "skein/base/parallel.h"
#include "skein/bench/random_pairs.h"
#include "skein/bench/training.h"

namespace skein::command {
namespace {

struct TrainArguments {
  std::string model = "transformer_base";
  std::string batches_file;
  TrainingBenchmark benchmark;
};

void run(const CLI::App& command, const TrainArguments& arguments) {
  TrainOptions options(arguments.model);
  apply_settings(options.settings(), command);
  auto batches = random_batches({.vocabulary = arguments.benchmark.vocabulary,
                                 .max_tokens = options.data.max_tokens,
                                 .seed = static_cast<uint64_t>(options.loop.seed)});
  if (!arguments.batches_file.empty()) {
    write_batches(batches, arguments.batches_file);
    return;
  }
  if (!options.model->has_source()) {
    for (Batch& batch : batches) batch.source = {};
  }
  const TrainingSpeed speed = measure_training(options, arguments.benchmark, batches);
  print_measurement({{"benchmark", "train"},
                     {"model", arguments.model},
                     {"precision", precision_name(activation_type(options.loop.precision))},
                     {"threads", threads()},
                     {"max_tokens", options.data.max_tokens},
                     {"seconds_per_update", speed.seconds_per_update},
                     {"source_tokens_per_second", speed.source_tokens_per_second},
                     {"target_tokens_per_second", speed.target_tokens_per_second},
                     {"gflops", speed.flops_per_second / 1e9},
                     {"product_gflops", speed.product_flops_per_second / 1e9},
                     {"product_share", speed.flops_per_second / speed.product_flops_per_second},
                     {"peak_tensor_mb", speed.peak_tensor_bytes >> 20},
                     {"peak_resident_mb", speed.peak_resident_bytes >> 20}});
}

}  // namespace

void add_bench_train(CLI::App& bench) {
  auto arguments = std::make_shared<TrainArguments>();
  CLI::App* train =
      bench.add_subcommand("train", "Training speed on random sentences of Multi30k's lengths");
  train->add_option("--model", arguments->model, "Model preset")->capture_default_str();
  train
      ->add_option("--vocabulary", arguments->benchmark.vocabulary,
                   "Tokens of the shared vocabulary")
      ->capture_default_str();
  train->add_option("--updates", arguments->benchmark.updates, "Measured updates")
      ->capture_default_str();
  train->add_option("--warmup", arguments->benchmark.warmup, "Updates before them")
      ->capture_default_str();
  train->add_option("--write-batches", arguments->batches_file,
                    "Only write the batches, as JSON lines, for benchmarks of other systems");
  accept_settings(*train);
  train->callback([train, arguments] { run(*train, *arguments); });
}

}  // namespace skein::command
