#include "skein/train/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "skein/base/error.h"
#include "skein/data/batch_iterator.h"
#include "skein/data/text_lines.h"
#include "skein/decode/beam_search.h"
#include "skein/decode/model_scorer.h"
#include "skein/text/bleu.h"

namespace skein {
namespace {

std::vector<Batch> all_batches(const DataSet& data, const BlockOptions& blocks,
                               int64_t max_tokens) {
  const Samples samples(data, blocks);
  int64_t longest = 0;
  for (int64_t i = 0; i < samples.size(); ++i) {
    longest = std::max({longest, samples.source_length(i), samples.target_length(i)});
  }
  BatchIterator iterator(data, {.max_tokens = std::max(max_tokens, longest),
                                .order = BatchOrder::kShortestFirst,
                                .first_epoch_order = BatchOrder::kShortestFirst,
                                .blocks = blocks});
  std::vector<Batch> batches;
  Batch batch;
  while (iterator.next(batch)) batches.push_back(std::move(batch));
  return batches;
}

}  // namespace

Validator::Validator(const Inputs& inputs, const ValidationOptions& options, int64_t max_tokens)
    : inputs_(inputs),
      options_(options),
      batches_(all_batches(inputs.data, inputs.blocks, max_tokens)) {
  if (!options_.bleu) return;
  if (inputs_.data.monolingual()) {
    throw UsageError("validation.bleu: a language model does not translate; leave it out");
  }
  references_ = read_text_lines(inputs_.reference);
  if (static_cast<int64_t>(references_.size()) != inputs_.data.size()) {
    throw FormatError(fmt::format("{}: {} lines for {} validation pairs; prepare the data again",
                                  inputs_.reference.string(), references_.size(),
                                  inputs_.data.size()));
  }
}

ValidationResult Validator::run(const Model& model) const {
  const LossSums sums = losses(model);
  const auto tokens = static_cast<double>(std::max<int64_t>(sums.tokens, 1));
  ValidationResult result{.loss = sums.smoothed / tokens,
                          .nll = sums.plain / tokens,
                          .perplexity = std::exp(sums.plain / tokens),
                          .bleu = {}};
  if (options_.bleu) result.bleu = bleu(model);
  return result;
}

LossSums Validator::losses(const Model& model) const {
  LossSums sums;
  for (const Batch& batch : batches_) {
    Tape tape({.record = false, .training = false, .activations = model.inference_type()});
    const LossSums part = inputs_.criterion(tape, model, batch).sums;
    sums.smoothed += part.smoothed;
    sums.plain += part.plain;
    sums.tokens += part.tokens;
  }
  return sums;
}

double Validator::bleu(const Model& model) const {
  std::vector<std::string> hypotheses(references_.size());
  ModelScorer scorer(model);
  for (const Batch& batch : batches_) {
    const auto found = beam_search(scorer, batch.source, SearchOptions{.beam = options_.beam});
    for (size_t s = 0; s < found.size(); ++s) {
      hypotheses[static_cast<size_t>(batch.sample_ids[s])] =
          inputs_.target_tokenizer.decode(found[s].front().tokens);
    }
  }
  const Bleu metric;
  return metric.score(CorpusStatistics(metric, hypotheses, {references_}).sum()).value;
}

}  // namespace skein
