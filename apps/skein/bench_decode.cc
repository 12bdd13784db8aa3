// `skein bench decode`.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/skein/bench.h"
#include "apps/skein/commands.h"
#include "apps/skein/flag_rules.h"
#include "apps/skein/model_choice.h"
#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/base/progress.h"
#include "skein/bench/decoding.h"

namespace skein::command {
namespace {

struct DecodeArguments {
  std::string preset = "transformer_base";
  std::string model_folder;
  ModelChoice choice;
  std::string input;
  std::string task_folder;
  std::string hypotheses_file;
  int64_t vocabulary = 10000;
  int64_t sentences = 256;
  uint64_t seed = 1;
  DecodingBenchmark benchmark;
};

std::vector<TokenPair> pairs_of(const DecodeArguments& arguments, int64_t vocabulary) {
  return random_pairs(arguments.sentences, vocabulary, arguments.seed);
}

nlohmann::json measure(const DecodeArguments& arguments, const Model& model,
                       const SentencesToTranslate& sentences) {
  const DecodingSpeed speed = measure_decoding(model, sentences, arguments.benchmark);
  nlohmann::json measurement = {{"benchmark", "decode"},
                                {"parameters", model.parameters().count()},
                                {"precision", precision_name(model.inference_type())},
                                {"threads", threads()},
                                {"beam", arguments.benchmark.beam},
                                {"batch_tokens", arguments.benchmark.batch_tokens},
                                {"sentences", sentences.sources.size()},
                                {"seconds", speed.seconds},
                                {"sentences_per_second", speed.sentences_per_second},
                                {"target_tokens_per_second", speed.target_tokens_per_second},
                                {"latency_ms", 1e3 * speed.latency_seconds},
                                {"log_probability", speed.log_probability},
                                {"peak_tensor_mb", speed.peak_tensor_bytes >> 20},
                                {"peak_resident_mb", speed.peak_resident_bytes >> 20}};
  if (!arguments.hypotheses_file.empty()) {
    write_hypotheses(speed.hypotheses, arguments.hypotheses_file);
    measurement["hypotheses"] = arguments.hypotheses_file;
  }
  return measurement;
}

void run_preset(const CLI::App& command, const DecodeArguments& arguments) {
  if (!arguments.input.empty()) {
    throw UsageError(
        "--input needs a trained model, whose vocabulary reads it; expected --model-dir too");
  }
  Settings settings;
  const auto config = models().get(arguments.preset)();
  config->bind(settings);
  apply_settings(settings, command);
  if (!config->has_source()) {
    throw UsageError(arguments.preset + " is a language model; expected one that translates");
  }
  const auto pairs = pairs_of(arguments, arguments.vocabulary);
  const auto model = random_model(*config, arguments.vocabulary,
                                  activation_type(arguments.choice.precision), arguments.seed);
  if (!arguments.task_folder.empty()) {
    write_decoding_task(settings.to_toml(), *model, pairs, arguments.task_folder);
    return;
  }
  nlohmann::json measurement = measure(arguments, *model, forced_lengths(pairs));
  measurement["model"] = arguments.preset;
  if (const auto words = command.remaining(); !words.empty()) {
    measurement["settings"] = fmt::to_string(fmt::join(words, " "));
  }
  print_measurement(measurement);
}

void run_trained(const CLI::App& command, const DecodeArguments& arguments) {
  if (!arguments.task_folder.empty()) {
    throw UsageError("--write takes random parameters; expected --model instead of --model-dir");
  }
  Settings none;
  apply_settings(none, command);
  const double begin = seconds_now();
  const LoadedModel loaded = load(arguments.model_folder, arguments.choice);
  const double seconds = seconds_now() - begin;
  const Model& model = *loaded.model;
  if (!model.has_source()) {
    throw UsageError(arguments.model_folder + " is a language model; expected one that translates");
  }
  const Tokenizer& tokenizer = *loaded.source_tokenizer;
  nlohmann::json measurement =
      measure(arguments, model,
              arguments.input.empty()
                  ? forced_lengths(pairs_of(arguments, tokenizer.vocabulary().size()))
                  : read_sentences(arguments.input, tokenizer, model.max_source_length()));
  measurement["model"] = arguments.model_folder;
  measurement["load_seconds"] = seconds;
  print_measurement(measurement);
}

void add_options(CLI::App& command, DecodeArguments& arguments) {
  CLI::Option* preset =
      command.add_option("--model", arguments.preset, "Model preset, with random parameters")
          ->capture_default_str();
  command.add_option("--model-dir", arguments.model_folder, "Folder of a trained model instead")
      ->excludes(preset);
  add_model_options(command, arguments.choice);
  command
      .add_option("--vocabulary", arguments.vocabulary,
                  "Tokens of the shared vocabulary, for random parameters")
      ->capture_default_str();
  command.add_option("--input", arguments.input,
                     "Text to translate, for a trained model; without it: random sentences of "
                     "Multi30k's lengths, translated into as many tokens as Multi30k's targets");
  command.add_option("--sentences", arguments.sentences, "Random sentences")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--seed", arguments.seed, "Of random parameters and sentences")
      ->check(whole_number())
      ->capture_default_str();
  DecodingBenchmark& benchmark = arguments.benchmark;
  command.add_option("--beam", benchmark.beam, "Hypotheses kept at a time; 1: greedy")
      ->capture_default_str();
  command.add_option("--batch-tokens", benchmark.batch_tokens, "Source tokens x beam of a batch")
      ->capture_default_str();
  command
      .add_option("--runs", benchmark.runs,
                  "Measured runs, after one that is not; the median counts")
      ->capture_default_str();
  command
      .add_option("--alone", benchmark.alone,
                  "Sentences that are also translated one at a time, for the latency")
      ->capture_default_str();
  command.add_option("--hypotheses", arguments.hypotheses_file,
                     "File for the best hypotheses, a line of token ids each, to compare with "
                     "those of other systems");
  command.add_option("--write", arguments.task_folder,
                     "Only write parameters and sentences into this folder, for benchmarks of "
                     "other systems");
}

}  // namespace

void add_bench_decode(CLI::App& bench) {
  auto arguments = std::make_shared<DecodeArguments>();
  CLI::App* decode = bench.add_subcommand("decode", "Speed of translation, from tokens to tokens");
  add_options(*decode, *arguments);
  accept_settings(*decode);
  decode->callback([decode, arguments] {
    if (arguments->model_folder.empty()) {
      run_preset(*decode, *arguments);
    } else {
      run_trained(*decode, *arguments);
    }
  });
}

}  // namespace skein::command
