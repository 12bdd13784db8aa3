#include "apps/skein/search_flags.h"

#include "apps/skein/flag_rules.h"

namespace skein::command {

void add_score_flags(CLI::App& command, SearchOptions& search, double& temperature) {
  command
      .add_option("--length-penalty", search.length_penalty,
                  "Scores are divided by length to this power; more favours longer ones")
      ->capture_default_str();
  command
      .add_option("--no-repeat-ngram", search.no_repeat_ngram,
                  "No sequence of so many tokens occurs twice; 0: all may")
      ->capture_default_str();
  command
      .add_option("--unk-penalty", search.unk_penalty,
                  "Taken from the log-probability of the unknown word")
      ->capture_default_str();
  command.add_option("--temperature", temperature, "Each model's logits are divided by it")
      ->capture_default_str();
}

void add_sampling_flags(CLI::App& command, SamplingOptions& sampling) {
  command
      .add_option("--top-k", sampling.top_k, "Draw from the k likeliest tokens only; 0: from all")
      ->capture_default_str();
  command
      .add_option("--top-p", sampling.top_p,
                  "Draw from the fewest likeliest tokens that together have this probability")
      ->capture_default_str();
  command
      .add_option("--seed", sampling.seed,
                  "Of the random numbers: the same seed gives the same text")
      ->check(whole_number())
      ->capture_default_str();
}

void add_constraint_order_flag(CLI::App& command, std::string& order) {
  command.add_option("--constraint-order", order, "Constraints come in any order, or as given")
      ->check(CLI::IsMember({"any", "given"}))
      ->capture_default_str();
}

ConstraintOrder constraint_order_from_name(std::string_view name) {
  return name == "given" ? ConstraintOrder::kGiven : ConstraintOrder::kAny;
}

void add_diversity_flags(CLI::App& command, DiversityOptions& diversity) {
  command
      .add_option("--diverse-groups", diversity.groups,
                  "Part the beam in groups that avoid each other's words")
      ->capture_default_str();
  command
      .add_option("--diverse-strength", diversity.strength,
                  "Taken from the score of a word for each earlier group with it")
      ->capture_default_str();
  command
      .add_option("--diverse-discount", diversity.discount,
                  "How much of earlier agreement between groups adds to that")
      ->capture_default_str();
  command
      .add_option("--sibling-penalty", diversity.sibling_rate,
                  "The k-th best continuation of a hypothesis loses k times this")
      ->capture_default_str();
}

}  // namespace skein::command
