// skein evaluate: scores translations against references.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/skein/commands.h"
#include "apps/skein/flag_rules.h"
#include "skein/base/error.h"
#include "skein/data/text_lines.h"
#include "skein/text/make_metric.h"
#include "skein/text/significance.h"

namespace skein::command {
namespace {

struct EvaluateOptions {
  std::vector<std::string> references;
  std::string hypothesis;
  std::string baseline;
  std::vector<std::string> metrics = {"bleu", "chrf"};
  std::string tokenizer = "13a";
  std::string smoothing = "exp";
  bool sentence_level = false;
  int bootstrap = 0;
  uint64_t seed = BootstrapOptions{}.seed;
  std::string format = "text";
  int decimals = 2;
  MetricOptions metric;
};

struct Corpus {
  std::vector<std::string> hypothesis;
  std::vector<std::string> baseline;
  References references;
};

// What was computed with one metric.
struct Result {
  std::string name;
  std::string signature;
  MetricScore score;
  std::vector<double> sentence_scores;
  bool resampled = false;
  ConfidenceInterval interval;
  bool compared = false;
  double baseline_score = 0;
  PairedComparison comparison;
};

std::vector<std::string> read_as_long_as(const std::string& path, const std::string& other_path,
                                         size_t expected) {
  std::vector<std::string> lines = read_text_lines(path, ByteOrderMark::kKeep);
  if (lines.size() != expected) {
    throw FormatError(
        fmt::format("{} has {} lines and {} has {}; line by line they must be the "
                    "same sentences",
                    path, lines.size(), other_path, expected));
  }
  return lines;
}

// Byte order marks stay: published scores count them.
Corpus read_corpus(const EvaluateOptions& options) {
  Corpus corpus;
  corpus.hypothesis = read_text_lines(options.hypothesis, ByteOrderMark::kKeep);
  const size_t count = corpus.hypothesis.size();
  for (const std::string& path : options.references) {
    corpus.references.push_back(read_as_long_as(path, options.hypothesis, count));
  }
  if (!options.baseline.empty()) {
    corpus.baseline = read_as_long_as(options.baseline, options.hypothesis, count);
  }
  return corpus;
}

// With BLEU's effective order: a single sentence often has no match of four tokens.
std::vector<double> sentence_scores(const std::string& name, const CorpusStatistics& statistics,
                                    const EvaluateOptions& options) {
  MetricOptions metric_options = options.metric;
  metric_options.bleu.effective_order = true;
  const auto metric = make_metric(name, metric_options);
  std::vector<double> scores;
  for (size_t i = 0; i < statistics.sentences(); ++i) {
    scores.push_back(metric->score(statistics.row(i)).value);
  }
  return scores;
}

Result evaluate(const std::string& name, const Corpus& corpus, const EvaluateOptions& options) {
  const auto metric = make_metric(name, options.metric);
  const CorpusStatistics statistics(*metric, corpus.hypothesis, corpus.references);
  Result result;
  result.name = metric->name();
  result.signature = metric->signature(corpus.references.size());
  result.score = metric->score(statistics.sum());
  if (options.sentence_level) result.sentence_scores = sentence_scores(name, statistics, options);
  result.compared = !corpus.baseline.empty();
  BootstrapOptions bootstrap{.samples = options.bootstrap, .seed = options.seed};
  if (result.compared && bootstrap.samples == 0) bootstrap.samples = BootstrapOptions{}.samples;
  result.resampled = bootstrap.samples > 0;
  if (!result.resampled) return result;

  result.signature = bootstrap_signature(result.signature, bootstrap);
  if (result.compared) {
    const CorpusStatistics baseline(*metric, corpus.baseline, corpus.references);
    result.baseline_score = metric->score(baseline.sum()).value;
    result.comparison = compare_systems(*metric, statistics, baseline, bootstrap);
    result.interval = result.comparison.system;
  } else {
    result.interval = confidence_interval(bootstrap_scores(*metric, statistics, bootstrap));
  }
  return result;
}

std::string with_interval(double score, const ConfidenceInterval& interval, int decimals) {
  return fmt::format("{:.{}f} (μ = {:.{}f} ± {:.{}f})", score, decimals, interval.mean, decimals,
                     interval.half_width, decimals);
}

std::string to_text(const Result& result, const EvaluateOptions& options) {
  const int decimals = options.decimals;
  const std::string score = result.resampled
                                ? with_interval(result.score.value, result.interval, decimals)
                                : fmt::format("{:.{}f}", result.score.value, decimals);
  std::string text = fmt::format("{}|{} = {}{}{}\n", result.name, result.signature, score,
                                 result.score.detail.empty() ? "" : " ", result.score.detail);
  if (!result.compared) return text;
  const PairedComparison& c = result.comparison;
  text += fmt::format("  baseline {} = {}\n", options.baseline,
                      with_interval(result.baseline_score, c.baseline, decimals));
  text += fmt::format("  difference {:+.{}f}, p = {:.4f}{}, better in {:.1f} % of the samples\n",
                      c.difference, decimals, c.p_value,
                      c.p_value < 0.05 ? " (significant)" : " (not significant)", 100 * c.better);
  return text;
}

nlohmann::ordered_json to_json(const ConfidenceInterval& interval) {
  return {{"mean", interval.mean}, {"half_width", interval.half_width}};
}

nlohmann::ordered_json to_json(const Result& result) {
  nlohmann::ordered_json json = {
      {"name", result.name}, {"score", result.score.value}, {"signature", result.signature}};
  if (!result.score.detail.empty()) json["detail"] = result.score.detail;
  if (result.resampled) json["confidence_95"] = to_json(result.interval);
  if (result.compared) {
    json["baseline"] = {{"score", result.baseline_score},
                        {"confidence_95", to_json(result.comparison.baseline)}};
    json["difference"] = result.comparison.difference;
    json["p_value"] = result.comparison.p_value;
    json["better"] = result.comparison.better;
  }
  if (!result.sentence_scores.empty()) json["sentence_scores"] = result.sentence_scores;
  return json;
}

// One line a sentence, one column a metric.
std::string sentence_table(const std::vector<Result>& results, int decimals) {
  std::string text;
  for (size_t sentence = 0; sentence < results.front().sentence_scores.size(); ++sentence) {
    for (const Result& result : results) {
      text += fmt::format("{}{:.{}f}", &result == &results.front() ? "" : "\t",
                          result.sentence_scores[sentence], decimals);
    }
    text += '\n';
  }
  return text;
}

void print_results(const std::vector<Result>& results, const EvaluateOptions& options) {
  if (options.format == "json") {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const Result& result : results) json.push_back(to_json(result));
    print(json.dump(1, ' ') + "\n");
    return;
  }
  if (options.sentence_level) print(sentence_table(results, options.decimals));
  for (const Result& result : results) print(to_text(result, options));
}

void require_in_range(const char* flag, int value, int least, int most) {
  if (value >= least && value <= most) return;
  throw UsageError(
      fmt::format("{} {} is out of range; expected {} to {}", flag, value, least, most));
}

void run_evaluate(EvaluateOptions options) {
  if (options.format != "text" && options.format != "json") {
    throw UsageError(
        fmt::format("--format '{}' is unknown; expected text or json", options.format));
  }
  require_in_range("--bootstrap", options.bootstrap, 0, 1000000);
  require_in_range("--decimals", options.decimals, 0, 15);
  options.metric.bleu.tokenizer = bleu_tokenizer(options.tokenizer);
  options.metric.bleu.smoothing = bleu_smoothing(options.smoothing);
  // A wrong name is told before files are read.
  for (const std::string& name : options.metrics) make_metric(name, options.metric);
  const Corpus corpus = read_corpus(options);
  std::vector<Result> results;
  for (const std::string& name : options.metrics) {
    results.push_back(evaluate(name, corpus, options));
  }
  print_results(results, options);
}

}  // namespace

void add_evaluate_command(CLI::App& app) {
  auto options = std::make_shared<EvaluateOptions>();
  CLI::App* command =
      app.add_subcommand("evaluate", "Scores of translations: BLEU, chrF, chrF++, TER");
  command
      ->add_option("--reference", options->references,
                   "Files of right translations, one sentence a line (plain, .gz, .zst)")
      ->required();
  command->add_option("--hypothesis", options->hypothesis, "File of translations to score")
      ->required();
  command->add_option("--baseline", options->baseline,
                      "Translations of another system, to test the difference (paired bootstrap)");
  command->add_option("--metrics", options->metrics, "bleu,chrf,chrf++,ter (default: bleu,chrf)")
      ->delimiter(',');
  command->add_option("--tokenize", options->tokenizer,
                      "For BLEU: 13a (default), intl, char, none");
  command->add_option("--smooth", options->smoothing,
                      "For BLEU: exp (default), floor, add-k, none");
  command->add_option("--smooth-value", options->metric.bleu.smoothing_value,
                      "For floor (default 0.1) and add-k (default 1)");
  command->add_flag("--lowercase", options->metric.bleu.lower_case,
                    "Ignore case in BLEU and chrF (TER does unless told otherwise)");
  command->add_flag("--chrf-whitespace", options->metric.chrf_white_space,
                    "Count spaces in chrF's character n-grams");
  command->add_flag("--ter-case-sensitive", options->metric.ter.case_sensitive, "Heed case in TER");
  command->add_flag("--ter-normalized", options->metric.ter.normalized,
                    "Set punctuation apart first");
  command->add_flag("--ter-no-punct", options->metric.ter.no_punct, "Remove punctuation first");
  command->add_flag("--ter-asian-support", options->metric.ter.asian_support,
                    "The two above also for CJK text");
  command->add_flag("--sentence-level", options->sentence_level,
                    "Also the score of each sentence, before the summary");
  command->add_option(
      "--bootstrap", options->bootstrap,
      "Samples for a 95 % confidence interval (default: none; 1000 with --baseline)");
  command->add_option("--seed", options->seed, "Of the samples (default 12345)")
      ->check(whole_number());
  command->add_option("--format", options->format, "text (default) or json");
  command->add_option("--decimals", options->decimals, "Of the scores in text (default 2)");
  command->callback([options] { run_evaluate(*options); });
}

}  // namespace skein::command
