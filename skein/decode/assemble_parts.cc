#include "skein/decode/assemble_parts.h"

#include <algorithm>
#include <utility>

namespace skein {
namespace {

void append_scores(const ChannelScores& next, ChannelScores& scores) {
  scores.direct += next.direct;
  scores.channel += next.channel;
  scores.language += next.language;
}

// Where no space parts them, the first word of a part is the last one of the part before.
void append_alignment(const TranslatedText& next, bool space_before, TranslatedText& whole) {
  const int32_t shared = space_before ? 0 : 1;
  const WordCounts before = {std::max(0, whole.words.source - shared),
                             std::max(0, whole.words.target - shared)};
  for (const WordPair& each : next.alignment) {
    const WordPair pair{before.source + each.source, before.target + each.target};
    if (whole.alignment.empty() || whole.alignment.back() != pair) whole.alignment.push_back(pair);
  }
  whole.words = {before.source + next.words.source, before.target + next.words.target};
}

// Makes `whole` the translation of one part more.
void append(const TranslatedText& next, const TranslatedPart& part, TranslatedText& whole) {
  append_alignment(next, part.source->space_before, whole);
  if (part.source->space_before) whole.text += ' ';
  whole.text += next.text;
  append(next.search, part.options, whole.search);
  if (next.channel) append_scores(*next.channel, *whole.channel);
}

TranslatedText assemble(std::span<TranslatedPart> parts, size_t rank) {
  TranslatedText whole = std::move(parts[0].found[rank]);
  double sum = whole.search.score;
  for (const TranslatedPart& part : parts.subspan(1)) {
    append(part.found[rank], part, whole);
    sum += part.found[rank].search.score;
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
