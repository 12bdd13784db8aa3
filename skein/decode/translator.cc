#include "skein/decode/translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "skein/base/error.h"

namespace skein {
namespace {

void require_consistent(const TranslatorOptions& options, int64_t model_vocabulary,
                        int64_t vocabulary) {
  if (vocabulary != model_vocabulary) {
    throw UsageError(
        fmt::format("the target vocabulary has {} tokens, the model was trained with {}; use the "
                    "vocabulary that is in the model's folder",
                    vocabulary, model_vocabulary));
  }
  require_valid(options.search, vocabulary);
  if (options.n_best < 1 || options.n_best > options.search.beam) {
    throw UsageError(
        fmt::format("{} hypotheses a sentence were asked for; expected 1 to the beam of {}",
                    options.n_best, options.search.beam));
  }
  if (options.batch_tokens < 1) {
    throw UsageError(
        fmt::format("batches of {} tokens; expected at least 1", options.batch_tokens));
  }
}

}  // namespace

Translator::Translator(ScorerFactory make_scorer, const Tokenizer& source, const Tokenizer& target,
                       TranslatorOptions options)
    : make_scorer_(std::move(make_scorer)),
      source_(source),
      target_(target),
      options_(std::move(options)) {
  const std::unique_ptr<StepScorer> scorer = make_scorer_();
  require_consistent(options_, scorer->vocabulary(), target.vocabulary().size());
  max_source_length_ = scorer->max_source_length();
}

SourceText Translator::encode(std::string_view line) const {
  return encode_source(line, source_, max_source_length_, options_.long_lines);
}

Translator::Found Translator::search(std::span<const SourcePart* const> parts) const {
  std::vector<std::span<const int32_t>> sources;
  for (const SourcePart* part : parts) sources.emplace_back(part->tokens);
  const std::vector<SearchOptions> options(parts.size(), options_.search);
  return batched_search(make_scorer_, sources, options,
                        {.tokens = options_.batch_tokens, .n_best = options_.n_best});
}

// Hypothesis k of a line in parts is made of the k-th ones of its parts.
Translation Translator::assemble(std::span<const SourcePart> parts,
                                 std::span<std::vector<Hypothesis>> found) const {
  size_t count = found[0].size();
  for (const auto& part : found) count = std::min(count, part.size());
  Translation translation;
  for (size_t k = 0; k < count; ++k) {
    TranslatedText whole{target_.decode(found[0][k].tokens), std::move(found[0][k])};
    for (size_t part = 1; part < parts.size(); ++part) {
      const Hypothesis& next = found[part][k];
      if (parts[part].space_before) whole.text += ' ';
      whole.text += target_.decode(next.tokens);
      append(next, options_.search, whole.search);
    }
    translation.hypotheses.push_back(std::move(whole));
  }
  return translation;
}

std::vector<Translation> Translator::translate(std::span<const SourceText> texts) const {
  std::vector<const SourcePart*> parts;
  for (const SourceText& text : texts) {
    for (const SourcePart& part : text.parts) parts.push_back(&part);
  }
  Found found = search(parts);
  std::vector<Translation> translations;
  size_t next = 0;
  for (const SourceText& text : texts) {
    const size_t count = text.parts.size();
    translations.push_back(count == 0
                               ? Translation{{TranslatedText{}}}
                               : assemble(text.parts, std::span(found).subspan(next, count)));
    next += count;
  }
  return translations;
}

}  // namespace skein
