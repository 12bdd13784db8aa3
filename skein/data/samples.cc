#include "skein/data/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "skein/base/error.h"

namespace skein {
namespace {

// What the decoder reads is the target, one token later.
void append_target(std::span<const int32_t> before_and_target, Batch& batch) {
  batch.target_input.append(before_and_target.first(before_and_target.size() - 1));
  batch.target.append(before_and_target.subspan(1));
}

}  // namespace

Samples::Samples(std::span<const DataSet> data, const BlockOptions& options) : options_(options) {
  if (!sentences() && options.tokens < 1) {
    throw UsageError(
        fmt::format("data.block_tokens is {}; a block has at least 1 token", options.tokens));
  }
  for (const DataSet& each : data) {
    if (!sentences() && !each.monolingual()) {
      throw UsageError(
          fmt::format("{}: sentence pairs cannot be cut into blocks; set data.break_mode to "
                      "'sentence', or prepare text of one language with --monolingual",
                      each.name()));
    }
    Part& part = parts_.emplace_back(Part{.data = &each, .blocks = {}});
    if (options.mode == BreakMode::kComplete) cut_by_sentences(part);
    if (options.mode == BreakMode::kNone) cut_everywhere(part);
    begins_.push_back(begins_.back() + (sentences() ? each.size() : std::ssize(part.blocks)));
  }
}

void Samples::cut_by_sentences(Part& part) const {
  for (int64_t sentence = 0; sentence < part.data->size(); ++sentence) {
    const int64_t length = part.data->target_length(sentence) + 1;
    if (part.blocks.empty() || part.blocks.back().length + length > options_.tokens) {
      part.blocks.push_back({.sentence = sentence});
    }
    part.blocks.back().length += length;
  }
}

void Samples::cut_everywhere(Part& part) const {
  std::vector<Block>& blocks = part.blocks;
  for (int64_t sentence = 0; sentence < part.data->size(); ++sentence) {
    const int64_t length = part.data->target_length(sentence) + 1;
    for (int64_t token = 0; token < length;) {
      if (blocks.empty() || blocks.back().length == options_.tokens) {
        blocks.push_back({.sentence = sentence, .token = token});
      }
      const int64_t taken = std::min(length - token, options_.tokens - blocks.back().length);
      blocks.back().length += taken;
      token += taken;
    }
  }
}

Samples::Place Samples::place(int64_t sample) const {
  const auto next = std::upper_bound(begins_.begin(), begins_.end(), sample);
  const auto part = static_cast<size_t>(next - begins_.begin() - 1);
  return {parts_[part], sample - begins_[part]};
}

int64_t Samples::source_length(int64_t sample) const {
  if (!sentences()) return 1;
  const Place at = place(sample);
  return at.part.data->source_length(at.sample) + 1;
}

int64_t Samples::target_length(int64_t sample) const {
  const Place at = place(sample);
  return sentences() ? at.part.data->target_length(at.sample) + 1
                     : at.part.blocks[static_cast<size_t>(at.sample)].length;
}

void Samples::append(int64_t sample, int32_t eos, Batch& batch) const {
  if (sentences()) {
    Random none(0);
    return append_resampled(sample, eos, Resampler(), none, batch);
  }
  batch.sample_ids.push_back(sample);
  append_block(place(sample), eos, batch);
}

void Samples::append_resampled(int64_t sample, int32_t eos, const Resampler& resampler,
                               Random& random, Batch& batch) const {
  batch.sample_ids.push_back(sample);
  const Place at = place(sample);
  std::vector<int32_t> tokens;
  if (!monolingual()) {
    at.part.data->append_source(at.sample, tokens);
    resampler.source(tokens, random);
    tokens.push_back(eos);
    batch.source.append(tokens);
    tokens.clear();
  }
  at.part.data->append_target(at.sample, tokens);
  resampler.target(tokens, random);
  tokens.insert(tokens.begin(), eos);
  tokens.push_back(eos);
  append_target(tokens, batch);
}

void Samples::append_block(const Place& at, int32_t eos, Batch& batch) const {
  const DataSet& data = *at.part.data;
  const Block& block = at.part.blocks[static_cast<size_t>(at.sample)];
  // The token before the block, then the block.
  std::vector<int32_t> text;
  text.reserve(static_cast<size_t>(block.length) + 1);
  if (block.token == 0) {
    text.push_back(eos);
  } else {
    data.append_target(block.sentence, block.token - 1, block.token, text);
  }
  int64_t missing = block.length;
  for (int64_t sentence = block.sentence, token = block.token; missing > 0; ++sentence, token = 0) {
    const int64_t end = std::min(data.target_length(sentence), token + missing);
    data.append_target(sentence, token, end, text);
    missing -= end - token;
    if (missing == 0) break;
    text.push_back(eos);
    --missing;
  }
  append_target(text, batch);
}

}  // namespace skein
