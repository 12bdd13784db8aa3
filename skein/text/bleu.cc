#include "skein/text/bleu.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "skein/base/error.h"
#include "skein/base/nearest.h"
#include "skein/text/ngram_numbering.h"
#include "skein/text/python_text.h"

namespace skein {
namespace {

constexpr std::array<std::string_view, 4> kSmoothingNames = {"exp", "floor", "add-k", "none"};

// Each text's tokens as numbers, equal for equal tokens of any text.
std::vector<std::vector<uint32_t>> number_tokens(std::span<const std::string> texts) {
  std::unordered_map<std::string_view, uint32_t> numbers;
  std::vector<std::vector<uint32_t>> sequences;
  for (const std::string& text : texts) {
    std::vector<uint32_t>& sequence = sequences.emplace_back();
    for (const std::string_view word : split_words(text)) {
      const auto next = static_cast<uint32_t>(numbers.size());
      sequence.push_back(numbers.try_emplace(word, next).first->second);
    }
  }
  return sequences;
}

// The reference length nearest to the hypothesis length; of two equally near, the shorter.
size_t nearest_length(size_t hypothesis_length, std::span<const std::vector<uint32_t>> references) {
  const auto distance = [&](size_t length) {
    return length > hypothesis_length ? length - hypothesis_length : hypothesis_length - length;
  };
  size_t nearest = references.front().size();
  for (const auto& reference : references) {
    const size_t length = reference.size();
    if (distance(length) < distance(nearest) ||
        (distance(length) == distance(nearest) && length < nearest)) {
      nearest = length;
    }
  }
  return nearest;
}

// Hypothesis n-grams that occur in a reference, each at most as often as in the reference that has
// it most often (Papineni et al. 2002, section 2.1.1). Sequence 0 is the hypothesis.
size_t clipped_matches(const NgramNumbering& numbering, size_t reference_count) {
  std::vector<uint32_t> most(numbering.distinct());
  for (size_t reference = 1; reference <= reference_count; ++reference) {
    const std::vector<uint32_t> counts = count_ngrams(numbering, reference);
    for (size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], counts[i]);
  }
  size_t matches = 0;
  for (const uint32_t number : numbering.numbers(0)) {
    if (most[number] == 0) continue;
    --most[number];
    ++matches;
  }
  return matches;
}

double brevity_penalty(double hypothesis_length, double reference_length) {
  if (hypothesis_length >= reference_length) return 1;
  return hypothesis_length > 0 ? std::exp(1 - reference_length / hypothesis_length) : 0;
}

// exp of the mean of the logarithms; 0 if any of them is.
double geometric_mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) {
    if (value == 0) return 0;
    sum += std::log(value);
  }
  return std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace

BleuSmoothing bleu_smoothing(std::string_view name) {
  return static_cast<BleuSmoothing>(require_name("BLEU smoothing", name, kSmoothingNames));
}

std::string_view bleu_smoothing_name(BleuSmoothing smoothing) {
  return kSmoothingNames[static_cast<size_t>(smoothing)];
}

double default_smoothing_value(BleuSmoothing smoothing) {
  if (smoothing == BleuSmoothing::kFloor) return 0.1;
  return smoothing == BleuSmoothing::kAddK ? 1 : 0;
}

Bleu::Bleu(BleuOptions options)
    : options_(options),
      smoothing_value_(
          options.smoothing_value.value_or(default_smoothing_value(options.smoothing))) {
  if (options_.max_order < 1) {
    throw UsageError(
        fmt::format("BLEU needs n-grams of order 1 or more, not {}", options_.max_order));
  }
  if (!std::isfinite(smoothing_value_) || smoothing_value_ < 0) {
    throw UsageError(
        fmt::format("BLEU's smoothing value is {}; expected 0 or more", smoothing_value_));
  }
}

std::string Bleu::signature(size_t reference_count) const {
  std::string smoothing(bleu_smoothing_name(options_.smoothing));
  if (options_.smoothing == BleuSmoothing::kFloor || options_.smoothing == BleuSmoothing::kAddK) {
    smoothing += fmt::format("[{:.2f}]", smoothing_value_);
  }
  return fmt::format("nrefs:{}|case:{}|eff:{}|tok:{}|smooth:{}|{}", reference_count,
                     options_.lower_case ? "lc" : "mixed", options_.effective_order ? "yes" : "no",
                     bleu_tokenizer_name(options_.tokenizer), smoothing, signature_version());
}

std::string Bleu::tokens_of(std::string_view line) const {
  if (!options_.lower_case) return tokenize_for_bleu(trim_end(line), options_.tokenizer);
  return tokenize_for_bleu(trim_end(lower_case(line)), options_.tokenizer);
}

void Bleu::sentence_statistics(std::string_view hypothesis,
                               std::span<const std::string_view> references,
                               std::span<double> statistics) const {
  std::vector<std::string> texts = {tokens_of(hypothesis)};
  for (const std::string_view reference : references) texts.push_back(tokens_of(reference));
  const std::vector<std::vector<uint32_t>> sequences = number_tokens(texts);

  statistics[0] = static_cast<double>(sequences[0].size());
  statistics[1] =
      static_cast<double>(nearest_length(sequences[0].size(), std::span(sequences).subspan(1)));
  const auto matches = statistics.subspan(2, static_cast<size_t>(options_.max_order));
  const auto totals = statistics.subspan(2 + matches.size(), matches.size());
  NgramNumbering numbering(sequences);
  for (size_t order = 0; order < matches.size(); ++order) {
    if (order > 0) numbering.next_order();
    matches[order] = static_cast<double>(clipped_matches(numbering, references.size()));
    totals[order] = static_cast<double>(numbering.numbers(0).size());
  }
}

BleuParts Bleu::parts(std::span<const double> sums) const {
  const auto orders = static_cast<size_t>(options_.max_order);
  const auto matches = sums.subspan(2, orders);
  const auto totals = sums.subspan(2 + orders, orders);
  BleuParts parts = {.precisions = std::vector<double>(orders),
                     .brevity_penalty = brevity_penalty(sums[0], sums[1]),
                     .hypothesis_length = sums[0],
                     .reference_length = sums[1],
                     .bleu = 0};
  if (std::all_of(matches.begin(), matches.end(), [](double m) { return m == 0; })) return parts;

  double halvings = 1;
  size_t orders_with_ngrams = 0;
  for (size_t order = 0; order < orders; ++order) {
    const bool add = options_.smoothing == BleuSmoothing::kAddK && order > 0;
    const double added = add ? smoothing_value_ : 0;
    double match = matches[order] + added;
    const double total = totals[order] + added;
    if (total == 0) break;
    orders_with_ngrams = order + 1;
    if (match == 0 && options_.smoothing == BleuSmoothing::kExp) match = 1 / (halvings *= 2);
    if (match == 0 && options_.smoothing == BleuSmoothing::kFloor) match = smoothing_value_;
    parts.precisions[order] = 100 * match / total;
  }
  const size_t used = options_.effective_order ? orders_with_ngrams : orders;
  parts.bleu = parts.brevity_penalty * geometric_mean(std::span(parts.precisions).first(used));
  return parts;
}

MetricScore Bleu::score(std::span<const double> sums) const {
  const BleuParts p = parts(sums);
  std::string precisions;
  for (const double precision : p.precisions) {
    precisions += fmt::format("{}{:.1f}", precisions.empty() ? "" : "/", precision);
  }
  const double ratio = p.reference_length > 0 ? p.hypothesis_length / p.reference_length : 0;
  return {.value = p.bleu,
          .detail = fmt::format("{} (BP = {:.3f} ratio = {:.3f} hyp_len = {:.0f} ref_len = {:.0f})",
                                precisions, p.brevity_penalty, ratio, p.hypothesis_length,
                                p.reference_length)};
}

}  // namespace skein
