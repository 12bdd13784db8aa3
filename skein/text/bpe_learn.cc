#include "skein/text/bpe_learn.h"

#include <algorithm>
#include <queue>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "skein/text/utf8.h"

namespace skein {
namespace {

using Symbol = int32_t;

struct Word {
  std::vector<Symbol> symbols;
  int64_t count;
};

struct Pair {
  Symbol left;
  Symbol right;
  bool operator==(const Pair&) const = default;
};

struct PairHash {
  size_t operator()(const Pair& pair) const {
    const uint64_t key =
        uint64_t{static_cast<uint32_t>(pair.left)} << 32 | static_cast<uint32_t>(pair.right);
    return std::hash<uint64_t>{}(key * 0x9E3779B97F4A7C15U);
  }
};

struct Occurrences {
  int64_t count = 0;
  std::vector<uint32_t> words;  // some twice, and some that have lost the pair since
};

class Learner {
 public:
  explicit Learner(std::span<const std::pair<std::string, int64_t>> word_counts) {
    for (const auto& [text, count] : word_counts) add_word(text, count);
    for (uint32_t i = 0; i < words_.size(); ++i) count_pairs(i, words_[i].count);
    for (const auto& [pair, occurrences] : pairs_) queue_.push(candidate(pair));
  }

  // Merges the most frequent pair and returns its line; empty if none occurs `minimum_count` times.
  std::string merge_next(int64_t minimum_count) {
    while (!queue_.empty()) {
      const Candidate best = queue_.top();
      queue_.pop();
      const Pair pair{best.left, best.right};
      const int64_t count = pairs_[pair].count;
      if (count < minimum_count) continue;
      if (count != best.count) {
        queue_.push(candidate(pair));
        continue;
      }
      merge(pair);
      return symbol_texts_[static_cast<size_t>(pair.left)] + " " +
             symbol_texts_[static_cast<size_t>(pair.right)] + "\n";
    }
    return "";
  }

 private:
  struct Candidate {
    int64_t count;
    Symbol left;
    Symbol right;
    const std::vector<std::string>* texts;
    bool operator<(const Candidate& other) const {
      const auto key = [](const Candidate& c) {
        return std::make_tuple(c.count, std::string_view((*c.texts)[static_cast<size_t>(c.left)]),
                               std::string_view((*c.texts)[static_cast<size_t>(c.right)]));
      };
      return key(*this) < key(other);
    }
  };

  Candidate candidate(const Pair& pair) {
    return {pairs_[pair].count, pair.left, pair.right, &symbol_texts_};
  }

  Symbol intern(const std::string& text) {
    const auto [position, inserted] =
        symbol_ids_.emplace(text, static_cast<Symbol>(symbol_texts_.size()));
    if (inserted) symbol_texts_.push_back(text);
    return position->second;
  }

  void add_word(std::string_view text, int64_t count) {
    Word word{.symbols = {}, .count = count};
    for (const std::string_view character : Characters(text)) {
      const bool last = character.end() == text.end();
      word.symbols.push_back(intern(std::string(character) + (last ? "</w>" : "")));
    }
    words_.push_back(std::move(word));
  }

  // Adds `count` (negative: takes away) for every pair of the word.
  void count_pairs(uint32_t index, int64_t count) {
    const std::vector<Symbol>& symbols = words_[index].symbols;
    for (size_t i = 0; i + 1 < symbols.size(); ++i) {
      Occurrences& occurrences = pairs_[{symbols[i], symbols[i + 1]}];
      occurrences.count += count;
      if (count > 0 && (occurrences.words.empty() || occurrences.words.back() != index)) {
        occurrences.words.push_back(index);
      }
    }
  }

  void merge(const Pair& pair) {
    const Symbol merged = intern(symbol_texts_[static_cast<size_t>(pair.left)] +
                                 symbol_texts_[static_cast<size_t>(pair.right)]);
    std::vector<uint32_t> affected = std::move(pairs_[pair].words);
    std::sort(affected.begin(), affected.end());
    affected.erase(std::unique(affected.begin(), affected.end()), affected.end());
    for (const uint32_t index : affected) {
      count_pairs(index, -words_[index].count);
      replace(words_[index].symbols, pair, merged);
      count_pairs(index, words_[index].count);
      push_pairs_with(words_[index].symbols, merged);
    }
    pairs_.erase(pair);
  }

  static void replace(std::vector<Symbol>& symbols, const Pair& pair, Symbol merged) {
    size_t kept = 0;
    for (size_t i = 0; i < symbols.size(); ++i, ++kept) {
      const bool here =
          i + 1 < symbols.size() && symbols[i] == pair.left && symbols[i + 1] == pair.right;
      symbols[kept] = here ? merged : symbols[i];
      if (here) ++i;
    }
    symbols.resize(kept);
  }

  // Only pairs with the new symbol have become more frequent; what has become rarer is found out
  // when its turn comes.
  void push_pairs_with(const std::vector<Symbol>& symbols, Symbol merged) {
    for (size_t i = 0; i + 1 < symbols.size(); ++i) {
      if (symbols[i] == merged || symbols[i + 1] == merged)
        queue_.push(candidate({symbols[i], symbols[i + 1]}));
    }
  }

  std::vector<Word> words_;
  std::vector<std::string> symbol_texts_;
  std::unordered_map<std::string, Symbol> symbol_ids_;
  std::unordered_map<Pair, Occurrences, PairHash> pairs_;
  std::priority_queue<Candidate> queue_;
};

}  // namespace

std::string learn_bpe_codes(std::span<const std::pair<std::string, int64_t>> word_counts,
                            int64_t merges, int64_t minimum_count) {
  Learner learner(word_counts);
  std::string codes = "#version: 0.2\n";
  for (int64_t i = 0; i < merges; ++i) {
    const std::string line = learner.merge_next(minimum_count);
    if (line.empty()) break;
    codes += line;
  }
  return codes;
}

}  // namespace skein
