#include "skein/text/ter.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "skein/text/python_text.h"
#include "skein/text/ter_edit_distance.h"

namespace skein {
namespace {

// tercom's limits: words in a shift, words between a sequence and its match.
constexpr size_t kMaxShiftSize = 10;
constexpr size_t kMaxShiftDistance = 50;
// sacreBLEU's: distances computed for one sentence before its search ends.
constexpr int kMaxCandidates = 1000;

using Words = std::vector<uint32_t>;

// Words [start, start + length) move before word `target`; inside themselves, they change places
// with as many of the words behind them as it takes.
struct Shift {
  size_t start = 0;
  size_t length = 0;
  size_t target = 0;
};

// The words that a shift can change; all others keep their places. They rotate: those from `middle`
// on go first.
struct Rotation {
  size_t begin = 0;
  size_t middle = 0;
  size_t end = 0;
};

Rotation rotation_of(const Shift& shift, size_t word_count) {
  const size_t shift_end = shift.start + shift.length;
  if (shift.target < shift.start) return {shift.target, shift.start, shift_end};
  if (shift.target > shift_end) return {shift.start, shift_end, shift.target};
  return {shift.start, shift_end, std::min(word_count, shift.target + shift.length)};
}

void apply_shift(const Shift& shift, Words& words) {
  const auto [begin, middle, end] = rotation_of(shift, words.size());
  const auto at = [&](size_t i) { return words.begin() + static_cast<ptrdiff_t>(i); };
  std::rotate(at(begin), at(middle), at(end));
}

// One step of the greedy search: finds the shift that lowers the edit distance most.
class ShiftSearch {
 public:
  ShiftSearch(std::span<const uint32_t> hypothesis, std::span<const uint32_t> reference)
      : words_(hypothesis.begin(), hypothesis.end()),
        reference_(reference),
        distance_(reference, hypothesis.size()) {}

  int edits() {
    int shifts = 0;
    for (;;) {
      base_distance_ = distance_.set_base(words_);
      find_best();
      if (candidates_ >= kMaxCandidates || best_gain_ <= 0) return shifts + base_distance_;
      apply_shift(best_, words_);
      ++shifts;
    }
  }

 private:
  void find_best() {
    best_gain_ = 0;
    has_best_ = false;
    alignment_ = distance_.alignment();
    for (size_t start = 0; start < words_.size(); ++start) {
      const size_t first = start > kMaxShiftDistance ? start - kMaxShiftDistance : 0;
      const size_t last = std::min(reference_.size(), start + kMaxShiftDistance + 1);
      for (size_t target = first; target < last; ++target) {
        if (!try_matches(start, target)) return;
      }
    }
  }

  // Tries every common sequence that begins at word `start` of the hypothesis and at word `match`
  // of the reference. False: the limit of candidates is reached.
  bool try_matches(size_t start, size_t match) {
    const size_t longest =
        std::min({kMaxShiftSize, words_.size() - start, reference_.size() - match});
    bool hypothesis_wrong = false;
    bool reference_wrong = false;
    for (size_t length = 1; length <= longest; ++length) {
      const size_t h = start + length - 1;
      const size_t r = match + length - 1;
      if (words_[h] != reference_[r]) break;
      hypothesis_wrong |= alignment_.hypothesis_error[h] != 0;
      reference_wrong |= alignment_.reference_error[r] != 0;
      // Where all is right already there is nothing to gain.
      if (!hypothesis_wrong || !reference_wrong) continue;
      const int position = alignment_.hypothesis_position[match];
      if (position >= static_cast<int>(start) && position < static_cast<int>(start + length)) {
        continue;
      }
      try_targets({.start = start, .length = length, .target = 0}, match);
      if (candidates_ >= kMaxCandidates) return false;
    }
    return true;
  }

  // Tries to move one sequence to each place that its reference words are aligned with.
  void try_targets(Shift shift, size_t match) {
    int previous = -1;
    for (size_t i = 0; i <= shift.length; ++i) {
      const int target = match + i == 0 ? 0 : alignment_.hypothesis_position[match + i - 1] + 1;
      if (target == previous) continue;
      previous = target;
      shift.target = static_cast<size_t>(target);
      try_shift(shift);
    }
  }

  void try_shift(const Shift& shift) {
    ++candidates_;
    shifted_ = words_;
    apply_shift(shift, shifted_);
    const Rotation changed = rotation_of(shift, words_.size());
    const int gain = base_distance_ - distance_.shifted(shifted_, changed.begin, changed.end);
    // tercom's ranking: highest gain, longest sequence, then earliest start, then earliest target.
    const auto rank = [](int g, const Shift& s) {
      return std::tuple(-g, -static_cast<int64_t>(s.length), s.start, s.target);
    };
    if (has_best_ && rank(gain, shift) >= rank(best_gain_, best_)) return;
    has_best_ = true;
    best_gain_ = gain;
    best_ = shift;
  }

  Words words_;
  std::span<const uint32_t> reference_;
  TerEditDistance distance_;
  TerAlignment alignment_;
  Words shifted_;
  int base_distance_ = 0;
  int candidates_ = 0;
  bool has_best_ = false;
  int best_gain_ = 0;
  Shift best_;
};

}  // namespace

int translation_edits(std::span<const uint32_t> hypothesis, std::span<const uint32_t> reference) {
  if (reference.empty()) return static_cast<int>(hypothesis.size());
  return ShiftSearch(hypothesis, reference).edits();
}

std::string Ter::signature(size_t reference_count) const {
  const auto yes_no = [](bool value) { return value ? "yes" : "no"; };
  return fmt::format("nrefs:{}|case:{}|tok:tercom|norm:{}|punct:{}|asian:{}|{}", reference_count,
                     options_.case_sensitive ? "mixed" : "lc", yes_no(options_.normalized),
                     yes_no(!options_.no_punct), yes_no(options_.asian_support),
                     signature_version());
}

void Ter::sentence_statistics(std::string_view hypothesis,
                              std::span<const std::string_view> references,
                              std::span<double> statistics) const {
  std::unordered_map<std::string, uint32_t> numbers;
  const auto words_of = [&](std::string_view line) {
    Words words;
    const std::string text = tokenize_for_ter(trim_end(line), options_);
    for (const std::string_view word : split_words(text)) {
      const auto next = static_cast<uint32_t>(numbers.size());
      words.push_back(numbers.try_emplace(std::string(word), next).first->second);
    }
    return words;
  };
  const Words hypothesis_words = words_of(hypothesis);
  int fewest_edits = -1;
  double total_length = 0;
  for (const std::string_view reference : references) {
    const Words reference_words = words_of(reference);
    const int edits = translation_edits(hypothesis_words, reference_words);
    if (fewest_edits < 0 || edits < fewest_edits) fewest_edits = edits;
    total_length += static_cast<double>(reference_words.size());
  }
  statistics[0] = fewest_edits;
  statistics[1] = total_length / static_cast<double>(references.size());
}

MetricScore Ter::score(std::span<const double> sums) const {
  const double edits = sums[0];
  const double length = sums[1];
  const double rate = length > 0 ? edits / length : (edits > 0 ? 1 : 0);
  return {.value = 100 * rate,
          .detail = fmt::format("(edits = {:.0f} ref_len = {:.2f})", edits, length)};
}

}  // namespace skein
