#include "skein/decode/translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "skein/base/error.h"
#include "skein/decode/align_parts.h"
#include "skein/decode/assemble_parts.h"

namespace skein {
namespace {

// A line has fewer parts than this, so each has a stream of random numbers of its own.
constexpr uint64_t kMostParts = uint64_t{1} << 20;

void require_consistent(const TranslatorOptions& options, int64_t model_vocabulary,
                        int64_t vocabulary) {
  if (vocabulary != model_vocabulary) {
    throw UsageError(
        fmt::format("the target vocabulary has {} tokens, the model was trained with {}; use the "
                    "vocabulary that is in the model's folder",
                    vocabulary, model_vocabulary));
  }
  // Before the beam, which samples take from it.
  if (options.n_best < 1) {
    throw UsageError(fmt::format("{} hypotheses a sentence were asked for; expected at least 1",
                                 options.n_best));
  }
  require_valid(options.search, vocabulary);
  if (options.n_best > options.search.beam) {
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
                       TranslatorOptions options, TranslatorExtensions extensions)
    : make_scorer_(std::move(make_scorer)),
      source_(source),
      target_(target),
      options_(std::move(options)),
      extensions_(extensions) {
  const std::unique_ptr<StepScorer> scorer = make_scorer_();
  require_consistent(options_, scorer->vocabulary(), target.vocabulary().size());
  if (extensions_.reranker != nullptr && options_.search.beam == 1) {
    throw UsageError(
        "reranking sorts the hypotheses of a sentence, and a beam of 1 has one only; raise the "
        "beam, or the number of samples");
  }
  max_source_length_ = scorer->max_source_length();
  max_target_length_ = scorer->max_target_length();
}

EncodedLine Translator::encode(const SourceLine& line) const {
  EncodedLine encoded{
      .number = line.number,
      .text = encode_source(line.source, source_, max_source_length_, options_.long_lines)};
  if (!line.prefix.empty()) encoded.prefix = encode_target(line.prefix, LinePart::kPrefix);
  try {
    encoded.constraints = constraints_of(line, encoded.text.parts.size());
  } catch (const UnmetConstraints&) {
    if (options_.on_unmet == OnUnmet::kRefuse) throw;
    encoded.constraints_left_out = true;
  }
  if (encoded.text.parts.empty() && !(encoded.prefix.empty() && encoded.constraints.empty())) {
    throw Error(
        "the line has no content, and so no translation that could have its prefix or constraints; "
        "leave them out where there is nothing to translate");
  }
  const auto prefix_length = static_cast<int64_t>(encoded.prefix.size());
  if (prefix_length >= max_target_length_) {
    throw LinePartError(LinePart::kPrefix,
                        fmt::format("the prefix has {} tokens and the model has positions for {}",
                                    prefix_length, max_target_length_ - 1));
  }
  // What the line asks for may contradict what is asked for all lines.
  require_valid(options_of(encoded, 0), target_.vocabulary().size());
  return encoded;
}

std::vector<std::vector<int32_t>> Translator::constraints_of(const SourceLine& line,
                                                             size_t parts) const {
  std::vector<std::vector<int32_t>> constraints;
  for (const std::string& constraint : line.constraints) {
    constraints.push_back(encode_target(constraint, LinePart::kConstraints));
  }
  if (constraints.empty() || parts < 2) return constraints;
  throw UnmetConstraints(
      fmt::format("the line is translated in {} parts, and constraints do not tell which part they "
                  "are for; split it and its constraints, or let --on-long truncate translate its "
                  "beginning only",
                  parts));
}

SearchOptions Translator::options_of(const EncodedLine& line, size_t part) const {
  SearchOptions options = options_.search;
  if (part == 0) options.prefix = line.prefix;
  options.constraints = line.constraints;
  if (options.sampling) {
    options.sampling->stream = static_cast<uint64_t>(line.number) * kMostParts + part;
  }
  return options;
}

std::vector<int32_t> Translator::encode_target(std::string_view text, LinePart part) const {
  const char* what = part == LinePart::kPrefix ? "prefix" : "constraint";
  std::vector<int32_t> tokens;
  try {
    target_.encode(text, tokens);
  } catch (const FormatError& error) {
    throw LinePartError(part, fmt::format("the {}: {}", what, error.what()));
  }
  if (tokens.empty()) throw LinePartError(part, fmt::format("the {} has no content", what));
  if (std::find(tokens.begin(), tokens.end(), kUnkId) == tokens.end()) return tokens;
  const std::string lacking = fmt::format(
      "the {} '{}' has characters or words that the target vocabulary lacks, so no "
      "translation can have it",
      what, text);
  if (part == LinePart::kConstraints) throw UnmetConstraints(lacking);
  throw LinePartError(part, lacking);
}

Translator::Parts Translator::parts_of(std::span<const EncodedLine> lines) const {
  Parts parts;
  for (const EncodedLine& line : lines) {
    for (size_t i = 0; i < line.text.parts.size(); ++i) {
      parts.push_back({.source = &line.text.parts[i], .options = options_of(line, i)});
    }
  }
  return parts;
}

void Translator::search(std::span<TranslatedPart* const> parts) const {
  std::vector<std::span<const int32_t>> sources;
  std::vector<SearchOptions> options;
  for (const TranslatedPart* part : parts) {
    sources.emplace_back(part->source->tokens);
    options.push_back(part->options);
  }
  const bool all = extensions_.reranker != nullptr;
  auto found = batched_search(
      make_scorer_, sources, options,
      {.tokens = options_.batch_tokens, .n_best = all ? options_.search.beam : options_.n_best});
  for (size_t i = 0; i < parts.size(); ++i) {
    for (Hypothesis& hypothesis : found[i]) {
      std::string text = target_.decode(hypothesis.tokens);
      parts[i]->found.push_back({std::move(text), std::move(hypothesis)});
    }
  }
}

void Translator::search_without_constraints(Parts& parts) const {
  std::vector<TranslatedPart*> unmet;
  for (TranslatedPart& part : parts) {
    if (!part.found.empty()) continue;
    part.options.constraints.clear();
    part.constraints_left_out = true;
    unmet.push_back(&part);
  }
  search(unmet);
}

void Translator::rerank(Parts& parts) const {
  // Of a line that was cut, the beginning that was translated.
  std::vector<std::string> sources;
  sources.reserve(parts.size());
  for (const TranslatedPart& part : parts) {
    sources.push_back(part.source->cut ? source_.decode(part.source->tokens) : part.source->text);
  }
  std::vector<RerankedText> texts;
  for (size_t i = 0; i < parts.size(); ++i) {
    for (TranslatedText& text : parts[i].found) {
      texts.push_back({sources[i], text.text, &text.search});
    }
  }
  extensions_.reranker->rescore(texts);
  size_t next = 0;
  for (TranslatedPart& part : parts) {
    for (TranslatedText& text : part.found) text.channel = texts[next++].scores;
    std::stable_sort(part.found.begin(), part.found.end(),
                     [](const TranslatedText& a, const TranslatedText& b) {
                       return a.search.score > b.search.score;
                     });
    part.found.resize(std::min(part.found.size(), static_cast<size_t>(options_.n_best)));
  }
}

LengthBounds Translator::lengths_of(const TranslatedPart& part) const {
  return length_bounds(part.options, std::ssize(part.source->tokens), max_target_length_);
}

// No token is one of two constraints.
bool Translator::has_room(const TranslatedPart& part, int64_t taken) const {
  int64_t wanted = taken;
  for (const auto& constraint : part.options.constraints) wanted += std::ssize(constraint);
  return wanted <= lengths_of(part).most;
}

const char* Translator::remedy_of(const TranslatedPart& part) const {
  // A prefix may meet a constraint, but seldom does.
  const bool room = has_room(part, std::ssize(part.options.prefix));
  if (room && part.options.no_repeat_ngram > 0) return "leave out --no-repeat-ngram";
  if (part.options.match_source_length) return "leave out --match-source-length";
  if (lengths_of(part).most < max_target_length_ - 1) return "raise --max-length-b";
  if (room) return "raise --beam";
  return part.options.prefix.empty() ? "shorten them to the model's positions"
                                     : "shorten them, or the prefix, to the model's positions";
}

// A line in parts has no constraints, so only a line of one part can miss them.
Translation Translator::translation_of(const EncodedLine& line,
                                       std::span<TranslatedPart> parts) const {
  if (parts.empty()) return {.hypotheses = {TranslatedText{}}};
  if (!parts[0].found.empty()) return assemble_parts(parts);
  return {.error = fmt::format(
              "no translation of at most {} tokens meets {}; {}, or let --on-unmet leave-out "
              "translate such lines without",
              lengths_of(parts[0]).most,
              line.constraints.size() == 1
                  ? fmt::format("the constraint '{}'", target_.decode(line.constraints[0]))
                  : fmt::format("all {} constraints", line.constraints.size()),
              remedy_of(parts[0]))};
}

std::vector<Translation> Translator::translate(std::span<const EncodedLine> lines) const {
  Parts parts = parts_of(lines);
  std::vector<TranslatedPart*> possible;
  for (TranslatedPart& part : parts) {
    if (has_room(part)) possible.push_back(&part);
  }
  search(possible);
  if (options_.on_unmet == OnUnmet::kLeaveOut) search_without_constraints(parts);
  if (extensions_.reranker != nullptr) rerank(parts);
  if (extensions_.aligner != nullptr) {
    align_parts(parts, *extensions_.aligner, source_, target_,
                {.keep_pairs = options_.alignment,
                 .unknown_words = extensions_.unknown_words,
                 .batch_tokens = options_.batch_tokens});
  }
  std::vector<Translation> translations;
  size_t next = 0;
  for (const EncodedLine& line : lines) {
    const size_t count = line.text.parts.size();
    translations.push_back(translation_of(line, std::span(parts).subspan(next, count)));
    translations.back().constraints_left_out |= line.constraints_left_out;
    next += count;
  }
  return translations;
}

}  // namespace skein
