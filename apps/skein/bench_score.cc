// `skein bench score`.
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/skein/bench.h"
#include "apps/skein/commands.h"
#include "apps/skein/flag_rules.h"
#include "skein/base/parallel.h"
#include "skein/bench/decoding_task.h"
#include "skein/bench/scoring.h"
#include "skein/models/registry.h"
#include "skein/train/options.h"

namespace skein::command {
namespace {

struct ScoreArguments {
  std::string preset = "fconv_lm_small";
  std::string precision = "auto";
  int64_t vocabulary = 10000;
  ScoringBenchmark benchmark;
};

void run_bench_score(const CLI::App& command, const ScoreArguments& arguments) {
  Settings settings;
  const auto config = models().get(arguments.preset)();
  config->bind(settings);
  apply_settings(settings, command);
  const auto model = random_model(*config, arguments.vocabulary,
                                  activation_type(arguments.precision), arguments.benchmark.seed);
  const ScoringSpeed speed = measure_scoring(*model, arguments.benchmark);
  print_measurement({{"benchmark", "score"},
                     {"model", arguments.preset},
                     {"precision", precision_name(model->inference_type())},
                     {"threads", threads()},
                     {"parameters", model->parameters().count()},
                     {"vocabulary", arguments.vocabulary},
                     {"length", arguments.benchmark.length},
                     {"sentences", arguments.benchmark.sentences},
                     {"batch_tokens", arguments.benchmark.batch_tokens},
                     {"latency_ms", 1e3 * speed.latency_seconds},
                     {"tokens_per_second", speed.tokens_per_second},
                     {"log_probability", speed.log_probability},
                     {"peak_resident_mb", speed.peak_resident_bytes >> 20}});
}

}  // namespace

void add_bench_score(CLI::App& bench) {
  auto arguments = std::make_shared<ScoreArguments>();
  CLI::App* score = bench.add_subcommand(
      "score", "Speed of a language model's scores, of one sentence and of batches");
  ScoringBenchmark& benchmark = arguments->benchmark;
  score->add_option("--model", arguments->preset, "Model preset, with random parameters")
      ->capture_default_str();
  score->add_option("--precision", arguments->precision, "Of products and activations")
      ->check(CLI::IsMember({"auto", "bf16", "f32"}))
      ->capture_default_str();
  score->add_option("--vocabulary", arguments->vocabulary, "Tokens of the vocabulary")
      ->check(CLI::Range(kSpecialTokens + 1, 1 << 24))
      ->capture_default_str();
  score->add_option("--length", benchmark.length, "Tokens of a sentence, its end counted")
      ->capture_default_str();
  score->add_option("--sentences", benchmark.sentences, "Random sentences")->capture_default_str();
  score
      ->add_option("--batch-tokens", benchmark.batch_tokens,
                   "Tokens of the sentences that are scored together")
      ->capture_default_str();
  score
      ->add_option("--runs", benchmark.runs,
                   "Measured runs, after one that is not; the median counts")
      ->capture_default_str();
  score->add_option("--seed", benchmark.seed, "Of random parameters and sentences")
      ->check(whole_number())
      ->capture_default_str();
  accept_settings(*score);
  score->callback([score, arguments] { run_bench_score(*score, *arguments); });
}

}  // namespace skein::command
