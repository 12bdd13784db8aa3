#include "skein/decode/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "skein/base/error.h"
#include "skein/decode/sentence_search.h"
#include "skein/decode/text_stream.h"

namespace skein {
namespace {

void require(bool in_range, const char* name, int64_t value, const std::string& expected) {
  if (in_range) return;
  throw UsageError(fmt::format("{} is {}; expected {}", name, value, expected));
}

void require_consistent(const GeneratorOptions& options, int64_t model_vocabulary,
                        int64_t vocabulary) {
  if (vocabulary != model_vocabulary) {
    throw UsageError(
        fmt::format("the vocabulary has {} tokens, the model was trained with {}; use the "
                    "vocabulary that is in the model's folder",
                    vocabulary, model_vocabulary));
  }
  // Before the beam, which samples take from it.
  require(options.n_best >= 1, "number of texts", options.n_best, "at least 1");
  require_valid(options.search, vocabulary);
  require(options.n_best <= options.search.beam, "number of texts", options.n_best,
          fmt::format("at most the beam of {}", options.search.beam));
  require(options.min_length >= 0, "minimum length", options.min_length, "at least 0");
  require(options.max_length >= 1, "maximum length", options.max_length, "at least 1");
  require(options.min_length <= options.max_length, "minimum length", options.min_length,
          fmt::format("at most the maximum length of {}", options.max_length));
  require(options.batch_tokens >= 1, "size of a batch in tokens", options.batch_tokens,
          "at least 1");
}

}  // namespace

Generator::Generator(ScorerFactory make_scorer, const Tokenizer& tokenizer,
                     GeneratorOptions options)
    : make_scorer_(std::move(make_scorer)), tokenizer_(tokenizer), options_(std::move(options)) {
  const std::unique_ptr<StepScorer> scorer = make_scorer_();
  for (const std::string& each : options_.constraints) {
    options_.search.constraints.push_back(encode_constraint(each));
  }
  require_consistent(options_, scorer->vocabulary(), tokenizer.vocabulary().size());
  max_length_ = scorer->max_target_length();
  options_.max_length = std::min(options_.max_length, max_length_);
  options_.min_length = std::min(options_.min_length, options_.max_length);
}

Prompt Generator::encode(std::string_view text, int64_t number) const {
  Prompt prompt{.number = number, .tokens = {}, .text = std::string(text)};
  tokenizer_.encode(text, prompt.tokens);
  prompt.unknown = std::count(prompt.tokens.begin(), prompt.tokens.end(), kUnkId);
  // Most tokenisers drop spaces at the end; the text that follows has its own.
  if (!tokenizer_.decode(prompt.tokens).ends_with(' ')) {
    prompt.text.resize(prompt.text.find_last_not_of(' ') + 1);
  }
  // The end of the sentence has a position, too.
  const int64_t context = max_length_ - 1;
  const auto length = std::ssize(prompt.tokens);
  if (length < context) return prompt;
  if (options_.long_prompts == LongPrompts::kRefuse) {
    throw Error(
        fmt::format("the prompt has {} tokens and the model's context is {}, in which at least one "
                    "more must find room; shorten it, or let --on-long truncate keep its end only",
                    length, context));
  }
  const int64_t kept = context - std::min(options_.max_length, context / 2);
  prompt.tokens.erase(prompt.tokens.begin(), prompt.tokens.end() - kept);
  prompt.text = tokenizer_.decode(prompt.tokens);
  prompt.truncated = true;
  return prompt;
}

std::vector<int32_t> Generator::encode_constraint(const std::string& text) const {
  std::vector<int32_t> tokens;
  try {
    tokenizer_.encode(text, tokens);
  } catch (const FormatError& error) {
    throw UsageError(fmt::format("a constraint cannot be read: {}", error.what()));
  }
  if (tokens.empty()) throw UsageError("a constraint has no content; expected text");
  if (std::find(tokens.begin(), tokens.end(), kUnkId) == tokens.end()) return tokens;
  throw UsageError(
      fmt::format("the constraint '{}' has characters or words that the vocabulary lacks, so no "
                  "text can have it",
                  text));
}

SearchOptions Generator::options_of(const Prompt& prompt) const {
  SearchOptions options = options_.search;
  options.prompt = prompt.tokens;
  options.min_length_a = 0;
  options.min_length = options_.min_length;
  options.max_length_a = 0;
  options.max_length_b = static_cast<double>(options_.max_length);
  if (options.sampling) options.sampling->stream = static_cast<uint64_t>(prompt.number);
  return options;
}

GeneratedText Generator::text_of(const Prompt& prompt, Hypothesis found) const {
  TextStream stream(tokenizer_);
  for (const int32_t token : prompt.tokens) stream.add(token);
  stream.finish();
  std::string text = prompt.text;
  for (const int32_t token : found.tokens) text += stream.add(token);
  text += stream.finish();
  return {.text = std::move(text), .search = std::move(found)};
}

int64_t Generator::room_behind(const Prompt& prompt) const {
  return std::min(options_.max_length, max_length_ - 1 - std::ssize(prompt.tokens));
}

std::string Generator::unmet(const Prompt& prompt) const {
  const int64_t room = room_behind(prompt);
  int64_t wanted = 0;
  for (const auto& constraint : options_.search.constraints) wanted += std::ssize(constraint);
  const char* remedy = wanted <= room               ? "raise --beam"
                       : room < options_.max_length ? "shorten the prompt or the constraints"
                                                    : "raise --max-length";
  return fmt::format(
      "no text of at most {} tokens contains all that --constraint asks for; {}, or let --on-unmet "
      "leave-out go on without",
      room, remedy);
}

std::vector<std::vector<Hypothesis>> Generator::search(std::span<const Prompt> prompts,
                                                       bool constrained) const {
  // A language model has no source.
  const std::vector<int32_t> none = {kEosId};
  const std::vector<std::span<const int32_t>> sources(prompts.size(), none);
  std::vector<size_t> sizes;
  std::vector<SearchOptions> options;
  for (const Prompt& prompt : prompts) {
    const int64_t most = std::ssize(prompt.tokens) + options_.max_length;
    sizes.push_back(static_cast<size_t>(std::min(most, max_length_)));
    options.push_back(options_of(prompt));
    if (!constrained) options.back().constraints.clear();
  }
  return batched_search(
      make_scorer_, sources, options,
      {.tokens = options_.batch_tokens, .n_best = options_.n_best, .sizes = sizes});
}

std::vector<std::vector<GeneratedText>> Generator::generate(std::span<const Prompt> prompts) const {
  auto found = search(prompts, true);
  std::vector<std::vector<GeneratedText>> texts(prompts.size());
  for (size_t i = 0; i < prompts.size(); ++i) {
    texts[i].reserve(found[i].size());
    for (Hypothesis& each : found[i]) texts[i].push_back(text_of(prompts[i], std::move(each)));
  }
  if (options_.on_unmet == OnUnmet::kLeaveOut) generate_without_constraints(prompts, texts);
  return texts;
}

// Of those that have no text.
void Generator::generate_without_constraints(std::span<const Prompt> prompts,
                                             std::vector<std::vector<GeneratedText>>& texts) const {
  std::vector<size_t> places;
  std::vector<Prompt> left;
  for (size_t i = 0; i < prompts.size(); ++i) {
    if (!texts[i].empty()) continue;
    places.push_back(i);
    left.push_back(prompts[i]);
  }
  auto found = search(left, false);
  for (size_t i = 0; i < left.size(); ++i) {
    for (Hypothesis& each : found[i]) {
      texts[places[i]].push_back(text_of(left[i], std::move(each)));
      texts[places[i]].back().constraints_left_out = true;
    }
  }
}

GeneratedText Generator::generate(const Prompt& prompt,
                                  const std::function<void(std::string_view)>& write) const {
  const std::unique_ptr<StepScorer> scorer = make_scorer_();
  SentenceSearch search(options_of(prompt), 1, max_length_, scorer->kind());
  write(prompt.text);
  TextStream stream(tokenizer_);
  for (const int32_t token : prompt.tokens) stream.add(token);
  stream.finish();
  PackedSequences source;
  source.append(std::vector<int32_t>{kEosId});
  scorer->start(source);
  const std::vector<int32_t> unread(search.unread().begin(), search.unread().end());
  if (!unread.empty()) scorer->read(unread, std::ssize(unread));
  search.read(std::ssize(unread));
  while (!search.done()) {
    Tensor logits = scorer->step(search.previous());
    search.score_row(0, logits.values<float>());
    search.advance();
    if (!search.done()) write(stream.add(search.previous()[0]));
  }
  write(stream.finish());
  return text_of(prompt, std::move(std::move(search).results().front()));
}

}  // namespace skein
