#include "skein/decode/align_parts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "skein/decode/length_batches.h"
#include "skein/decode/source_words.h"
#include "skein/decode/unknown_words.h"
#include "skein/decode/workers.h"

namespace skein {
namespace {

struct Pair {
  const SourcePart* source;
  TranslatedText* target;
};

std::vector<Pair> pairs_to_align(std::span<TranslatedPart> parts, const AlignOptions& options) {
  std::vector<Pair> pairs;
  for (TranslatedPart& part : parts) {
    for (TranslatedText& text : part.found) {
      const bool unknown = options.unknown_words != nullptr && has_unknown(text.search.tokens);
      if (options.keep_pairs || unknown) pairs.push_back({part.source, &text});
    }
  }
  return pairs;
}

void append(const Pair& pair, Batch& batch) {
  const std::vector<int32_t>& tokens = pair.target->search.tokens;
  std::vector<int32_t> input = {kEosId};
  input.insert(input.end(), tokens.begin(), tokens.end() - 1);
  batch.source.append(pair.source->tokens);
  batch.target_input.append(input);
  batch.target.append(tokens);
}

}  // namespace

void align_parts(std::span<TranslatedPart> parts, const Aligner& aligner, const Tokenizer& source,
                 const Tokenizer& target, const AlignOptions& options) {
  const std::vector<Pair> pairs = pairs_to_align(parts, options);
  std::vector<size_t> lengths;
  lengths.reserve(pairs.size());
  for (const Pair& pair : pairs) {
    lengths.push_back(std::max(pair.source->tokens.size(), pair.target->search.tokens.size()));
  }
  const auto apply = [&](const Pair& pair, const std::vector<int32_t>& aligned) {
    const SourceWords words = source_words(pair.source->text, source);
    const std::vector<int32_t>& tokens = pair.target->search.tokens;
    if (options.keep_pairs) {
      const std::vector<int32_t> of_target = target_words(tokens, target);
      pair.target->alignment = word_pairs(words.of_tokens, of_target, aligned);
      const int32_t last = *std::max_element(of_target.begin(), of_target.end());
      pair.target->words = {static_cast<int32_t>(words.words.size()), last + 1};
    }
    if (options.unknown_words != nullptr && has_unknown(tokens)) {
      pair.target->text = replace_unknown(tokens, target, {words, aligned, *options.unknown_words});
    }
  };
  const auto planned = length_batches(lengths, static_cast<size_t>(options.batch_tokens));
  run_workers(planned.size(), [&] {
    return [&](size_t number) {
      Batch batch;
      for (const size_t index : planned[number]) append(pairs[index], batch);
      const auto aligned = aligner.align(batch);
      for (size_t i = 0; i < aligned.size(); ++i) apply(pairs[planned[number][i]], aligned[i]);
    };
  });
}

}  // namespace skein
