#include "skein/decode/assemble_parts.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "skein/text/split_words.h"

namespace skein {
namespace {

int32_t count_words(std::string_view text) {
  int32_t count = 0;
  split_words(text, [&](std::string_view) { ++count; });
  return count;
}

void append_scores(const ChannelScores& next, ChannelScores& scores) {
  scores.direct += next.direct;
  scores.channel += next.channel;
  scores.language += next.language;
}

// Makes `whole` the translation of one part more.
void append(const TranslatedText& next, const TranslatedPart& part, int32_t source_words,
            TranslatedText& whole) {
  const int32_t target_words = count_words(whole.text);
  for (const WordPair& pair : next.alignment) {
    whole.alignment.push_back({pair.source + source_words, pair.target + target_words});
  }
  if (part.source->space_before) whole.text += ' ';
  whole.text += next.text;
  append(next.search, part.options, whole.search);
  if (next.channel) append_scores(*next.channel, *whole.channel);
}

TranslatedText assemble(std::span<TranslatedPart> parts, size_t rank) {
  TranslatedText whole = std::move(parts[0].found[rank]);
  double sum = whole.search.score;
  int32_t source_words = 0;
  for (size_t i = 1; i < parts.size(); ++i) {
    const TranslatedText& next = parts[i].found[rank];
    source_words += count_words(parts[i - 1].source->text);
    append(next, parts[i], source_words, whole);
    sum += next.search.score;
  }
  if (whole.channel) whole.search.score = sum / static_cast<double>(parts.size());
  return whole;
}

}  // namespace

Translation assemble_parts(std::span<TranslatedPart> parts) {
  Translation translation;
  size_t count = parts[0].found.size();
  for (const TranslatedPart& part : parts) {
    count = std::min(count, part.found.size());
    translation.constraints_left_out |= part.constraints_left_out;
  }
  for (size_t rank = 0; rank < count; ++rank) {
    translation.hypotheses.push_back(assemble(parts, rank));
  }
  return translation;
}

}  // namespace skein
