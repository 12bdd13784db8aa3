#include "skein/decode/reranker.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "skein/base/error.h"
#include "skein/decode/batched_scores.h"

namespace skein {
namespace {

constexpr double kTooLong = -std::numeric_limits<double>::infinity();

using Tokens = std::vector<int32_t>;

Tokens encode(std::string_view text, const Tokenizer& tokenizer) {
  Tokens tokens;
  tokenizer.encode(text, tokens);
  tokens.push_back(kEosId);
  return tokens;
}

bool fits(const Tokens& source, const Tokens& target, const Model& model) {
  return std::ssize(target) <= model.max_target_length() &&
         (source.empty() || std::ssize(source) <= model.max_source_length());
}

// Log-probabilities of targets[i] given sources[i], which are empty for a language model.
std::vector<double> log_probabilities(const Model& model, std::span<const Tokens> sources,
                                      std::span<const Tokens> targets, int64_t batch_tokens) {
  std::vector<ScoreRequest> requests;
  std::vector<size_t> places;
  for (size_t i = 0; i < targets.size(); ++i) {
    if (!fits(sources[i], targets[i], model)) continue;
    requests.push_back({.source = sources[i], .target = targets[i]});
    places.push_back(i);
  }
  std::vector<double> result(targets.size(), kTooLong);
  const std::vector<SentenceScore> scores = batched_scores(model, requests, batch_tokens);
  for (size_t i = 0; i < places.size(); ++i) result[places[i]] = scores[i].log_probability;
  return result;
}

}  // namespace

Reranker::Reranker(ChannelModel channel, const LanguageModel* language,
                   const RerankOptions& options)
    : channel_(channel), language_(language), options_(options) {
  if (!channel_.model.has_source()) {
    throw UsageError(
        "the channel model is a language model; expected one that translates back, from the target "
        "language into the source language");
  }
  if (language_ != nullptr && language_->model.has_source()) {
    throw UsageError(
        "the model given as language model translates; expected one trained on data that was "
        "prepared with --monolingual");
  }
  for (const double weight : {options_.channel_weight, options_.language_weight}) {
    if (std::isfinite(weight) && weight >= 0) continue;
    throw UsageError(
        fmt::format("a weight of the reranking is {}; expected a number of at least 0", weight));
  }
}

void Reranker::rescore(std::span<RerankedText> texts) const {
  std::vector<Tokens> sources;
  std::vector<Tokens> targets;
  std::vector<Tokens> language_targets;
  for (const RerankedText& text : texts) {
    sources.push_back(encode(text.target, channel_.source));
    targets.push_back(encode(text.source, channel_.target));
    if (language_ != nullptr) language_targets.push_back(encode(text.target, language_->tokenizer));
  }
  const std::vector<double> channel =
      log_probabilities(channel_.model, sources, targets, options_.batch_tokens);
  std::vector<double> language(texts.size(), 0.0);
  if (language_ != nullptr) {
    const std::vector<Tokens> none(texts.size());
    language = log_probabilities(language_->model, none, language_targets, options_.batch_tokens);
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    Hypothesis& hypothesis = *texts[i].hypothesis;
    const double direct =
        std::accumulate(hypothesis.token_scores.begin(), hypothesis.token_scores.end(), 0.0);
    texts[i].scores = {direct, channel[i], language[i]};
    hypothesis.score = combined(texts[i].scores, hypothesis.tokens.size(), targets[i].size());
  }
}

double Reranker::combined(const ChannelScores& scores, size_t target_length,
                          size_t source_length) const {
  const auto normalized = [&](double sum, size_t length) {
    return sum / std::pow(static_cast<double>(length), options_.length_penalty);
  };
  // What has no weight may well be too long.
  const auto weighted = [](double weight, double score) {
    return weight == 0 ? 0 : weight * score;
  };
  return normalized(scores.direct, target_length) +
         normalized(weighted(options_.channel_weight, scores.channel) +
                        weighted(options_.language_weight, scores.language),
                    source_length);
}

}  // namespace skein
