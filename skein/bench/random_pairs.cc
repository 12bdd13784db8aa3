#include "skein/bench/random_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "skein/base/error.h"
#include "skein/base/files.h"
#include "skein/base/random.h"
#include "skein/text/vocabulary.h"

namespace skein {
namespace {

// Of this many batches that are cut from the sorted sentences, one is used.
constexpr int64_t kPoolFactor = 8;

struct Lengths {
  int64_t source = 0;  // without the end symbol
  int64_t target = 0;
};

Lengths random_lengths(Random& random) {
  constexpr double kCorrelation = 0.856;
  const double common = random.normal();
  const double own = random.normal();
  const double target = kCorrelation * common + std::sqrt(1 - kCorrelation * kCorrelation) * own;
  return {.source = std::max<int64_t>(1, std::lround(std::exp(2.589 + 0.313 * common))),
          .target = std::max<int64_t>(1, std::lround(std::exp(2.603 + 0.348 * target)))};
}

std::vector<int32_t> random_sentence(int64_t length, int64_t vocabulary, Random& random) {
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < length; ++i) {
    const auto word = random.below(static_cast<uint64_t>(vocabulary - kSpecialTokens));
    ids.push_back(static_cast<int32_t>(word) + kSpecialTokens);
  }
  return ids;
}

TokenPair random_pair(const Lengths& lengths, int64_t vocabulary, Random& random) {
  TokenPair pair;
  pair.source = random_sentence(lengths.source, vocabulary, random);
  pair.target = random_sentence(lengths.target, vocabulary, random);
  return pair;
}

void require_words(int64_t vocabulary) {
  if (vocabulary > kSpecialTokens) return;
  throw UsageError(
      fmt::format("a vocabulary of {} tokens has no word; expected more than the {} special tokens",
                  vocabulary, kSpecialTokens));
}

void append_sample(const TokenPair& pair, Batch& batch) {
  std::vector<int32_t> ids = pair.source;
  ids.push_back(kEosId);
  batch.source.append(ids);
  ids = pair.target;
  ids.push_back(kEosId);
  batch.target.append(ids);
  ids = pair.target;
  ids.insert(ids.begin(), kEosId);
  batch.target_input.append(ids);
  batch.sample_ids.push_back(static_cast<int64_t>(batch.sample_ids.size()));
}

// Enough sentences for kPoolFactor times as many batches, shortest first.
std::vector<Lengths> length_pool(const RandomBatches& options, Random& random) {
  std::vector<Lengths> pool;
  for (int64_t tokens = 0; tokens < kPoolFactor * options.count * options.max_tokens;) {
    pool.push_back(random_lengths(random));
    const int64_t longest = std::max(pool.back().source, pool.back().target) + 1;
    if (longest > options.max_tokens) {
      throw UsageError(
          fmt::format("batches of {} tokens cannot hold a random sentence of {}; expected at least "
                      "100 (data.max_tokens)",
                      options.max_tokens, longest));
    }
    tokens += pool.back().source + 1;
  }
  std::sort(pool.begin(), pool.end(), [](const Lengths& a, const Lengths& b) {
    return std::pair(a.source, a.target) < std::pair(b.source, b.target);
  });
  return pool;
}

}  // namespace

std::vector<TokenPair> random_pairs(int64_t count, int64_t vocabulary, uint64_t seed) {
  require_words(vocabulary);
  Random random(seed);
  std::vector<TokenPair> pairs;
  for (int64_t i = 0; i < count; ++i) {
    pairs.push_back(random_pair(random_lengths(random), vocabulary, random));
  }
  return pairs;
}

std::vector<Batch> random_batches(const RandomBatches& options) {
  require_words(options.vocabulary);
  if (options.count < 1) {
    throw UsageError(fmt::format("{} batches; expected at least 1", options.count));
  }
  Random random(options.seed);
  std::vector<Batch> batches;
  int64_t cut = 0;
  Batch batch;
  for (const Lengths& lengths : length_pool(options, random)) {
    const auto source = static_cast<int64_t>(batch.source.tokens.size()) + lengths.source + 1;
    const auto target = static_cast<int64_t>(batch.target.tokens.size()) + lengths.target + 1;
    if (std::max(source, target) > options.max_tokens) {
      if (cut++ % kPoolFactor == kPoolFactor / 2) batches.push_back(std::move(batch));
      batch = Batch();
    }
    append_sample(random_pair(lengths, options.vocabulary, random), batch);
  }
  return batches;
}

void write_batches(std::span<const Batch> batches, const std::filesystem::path& path) {
  std::string text;
  for (const Batch& batch : batches) {
    nlohmann::json row{{"source", nlohmann::json::array()}, {"target", nlohmann::json::array()}};
    for (size_t s = 0; s < batch.target.sentences(); ++s) {
      const auto source = batch.source.sentence(s);
      const auto target = batch.target.sentence(s);
      row["source"].push_back(std::vector<int32_t>(source.begin(), source.end() - 1));
      row["target"].push_back(std::vector<int32_t>(target.begin(), target.end() - 1));
    }
    text += row.dump() + "\n";
  }
  write_file(path, text);
}

void write_pairs(std::span<const TokenPair> pairs, const std::filesystem::path& path) {
  std::string text;
  for (const TokenPair& pair : pairs) {
    text += nlohmann::json{{"source", pair.source}, {"target", pair.target}}.dump() + "\n";
  }
  write_file(path, text);
}

}  // namespace skein
