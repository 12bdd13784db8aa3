#include "skein/text/chrf.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "skein/base/error.h"
#include "skein/text/ngram_numbering.h"
#include "skein/text/python_text.h"

namespace skein {
namespace {

// Stands for a precision or recall without n-grams, as in chrF++.py.
constexpr double kEpsilon = 1e-16;

bool is_ascii_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

// Words with one punctuation mark split off: the last character, else the first. So "(hi)" becomes
// "(hi" and ")", as in the published implementations.
std::vector<std::string_view> words_and_punctuation(std::string_view text) {
  std::vector<std::string_view> tokens;
  for (const std::string_view word : split_words(text)) {
    if (word.size() > 1 && is_ascii_punctuation(word.back())) {
      tokens.push_back(word.substr(0, word.size() - 1));
      tokens.push_back(word.substr(word.size() - 1));
    } else if (word.size() > 1 && is_ascii_punctuation(word.front())) {
      tokens.push_back(word.substr(0, 1));
      tokens.push_back(word.substr(1));
    } else {
      tokens.push_back(word);
    }
  }
  return tokens;
}

// Each text's words as numbers, equal for equal words of any text.
std::vector<std::vector<uint32_t>> number_words(std::span<const std::string_view> texts) {
  std::unordered_map<std::string_view, uint32_t> numbers;
  std::vector<std::vector<uint32_t>> sequences;
  for (const std::string_view text : texts) {
    std::vector<uint32_t>& sequence = sequences.emplace_back();
    for (const std::string_view word : words_and_punctuation(text)) {
      const auto next = static_cast<uint32_t>(numbers.size());
      sequence.push_back(numbers.try_emplace(word, next).first->second);
    }
  }
  return sequences;
}

// Fills the statistics of orders 1 to `orders` for every reference: rows[reference] holds three
// numbers an order, from `first` on. Sequence 0 is the hypothesis.
void count_matches(std::span<const std::vector<uint32_t>> sequences, int orders, size_t first,
                   std::vector<std::vector<double>>& rows) {
  if (orders == 0) return;
  NgramNumbering numbering(sequences);
  for (int order = 0; order < orders; ++order) {
    if (order > 0) numbering.next_order();
    const std::vector<uint32_t> hypothesis = count_ngrams(numbering, 0);
    for (size_t reference = 0; reference < rows.size(); ++reference) {
      const std::vector<uint32_t> counts = count_ngrams(numbering, reference + 1);
      uint64_t matches = 0;
      for (size_t i = 0; i < counts.size(); ++i) matches += std::min(counts[i], hypothesis[i]);
      const size_t reference_total = numbering.numbers(reference + 1).size();
      // An order that the reference has no n-gram of is no fault of the hypothesis.
      const size_t hypothesis_total = reference_total > 0 ? numbering.numbers(0).size() : 0;
      double* statistics = rows[reference].data() + first + 3 * static_cast<size_t>(order);
      statistics[0] = static_cast<double>(hypothesis_total);
      statistics[1] = static_cast<double>(reference_total);
      statistics[2] = static_cast<double>(matches);
    }
  }
}

}  // namespace

Chrf::Chrf(ChrfOptions options) : options_(options) {
  if (options_.character_order < 0 || options_.word_order < 0 || orders() == 0) {
    throw UsageError(fmt::format(
        "chrF needs orders of 0 or more, not both 0; found {} for characters and {} for words",
        options_.character_order, options_.word_order));
  }
  if (options_.beta < 1) {
    throw UsageError(fmt::format("chrF needs a beta of 1 or more, not {}", options_.beta));
  }
}

std::string Chrf::name() const {
  return fmt::format("chrF{}", options_.beta) +
         std::string(static_cast<size_t>(options_.word_order), '+');
}

std::string Chrf::signature(size_t reference_count) const {
  return fmt::format("nrefs:{}|case:{}|eff:{}|nc:{}|nw:{}|space:{}|{}", reference_count,
                     options_.lower_case ? "lc" : "mixed",
                     options_.epsilon_smoothing ? "no" : "yes", options_.character_order,
                     options_.word_order, options_.white_space ? "yes" : "no", signature_version());
}

std::vector<uint32_t> Chrf::characters_of(std::string_view text) const {
  std::vector<uint32_t> characters;
  for (const char32_t c : code_points(text)) {
    if (options_.white_space || !is_python_space(c)) characters.push_back(c);
  }
  return characters;
}

void Chrf::sentence_statistics(std::string_view hypothesis,
                               std::span<const std::string_view> references,
                               std::span<double> statistics) const {
  std::vector<std::string> lowered;
  std::vector<std::string_view> texts = {hypothesis};
  texts.insert(texts.end(), references.begin(), references.end());
  if (options_.lower_case) {
    for (const std::string_view text : texts) lowered.push_back(lower_case(text));
    texts.assign(lowered.begin(), lowered.end());
  }

  std::vector<std::vector<double>> rows(references.size(), std::vector<double>(width()));
  std::vector<std::vector<uint32_t>> characters;
  characters.reserve(texts.size());
  for (const std::string_view text : texts) characters.push_back(characters_of(text));
  count_matches(characters, options_.character_order, 0, rows);
  if (options_.word_order > 0) {
    const size_t first = 3 * static_cast<size_t>(options_.character_order);
    count_matches(number_words(texts), options_.word_order, first, rows);
  }

  double best_score = -1;
  for (const std::vector<double>& row : rows) {
    const double score = f_score(row);
    if (score <= best_score) continue;
    best_score = score;
    std::copy(row.begin(), row.end(), statistics.begin());
  }
}

double Chrf::f_score(std::span<const double> statistics) const {
  const double factor = options_.beta * options_.beta;
  const auto f = [factor](double precision, double recall) {
    return (1 + factor) * precision * recall / (factor * precision + recall);
  };
  double sum = 0, precisions = 0, recalls = 0;
  int effective_orders = 0;
  for (size_t order = 0; order < orders(); ++order) {
    const double hypothesis = statistics[3 * order];
    const double reference = statistics[3 * order + 1];
    const double matches = statistics[3 * order + 2];
    const double precision = hypothesis > 0 ? matches / hypothesis : kEpsilon;
    const double recall = reference > 0 ? matches / reference : kEpsilon;
    sum += precision + recall > 0 ? f(precision, recall) : kEpsilon;
    if (hypothesis > 0 && reference > 0) {
      precisions += precision;
      recalls += recall;
      ++effective_orders;
    }
  }
  if (options_.epsilon_smoothing) return 100 * sum / static_cast<double>(orders());
  if (precisions + recalls == 0) return 0;
  return 100 * f(precisions / effective_orders, recalls / effective_orders);
}

MetricScore Chrf::score(std::span<const double> sums) const {
  return {.value = f_score(sums), .detail = ""};
}

}  // namespace skein
