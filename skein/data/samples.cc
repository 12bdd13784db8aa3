#include "skein/data/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "skein/base/error.h"

namespace skein {

Samples::Samples(const DataSet& data, const BlockOptions& options)
    : data_(&data), options_(options) {
  if (sentences()) return;
  if (!data.monolingual()) {
    throw UsageError(
        fmt::format("{}: sentence pairs cannot be cut into blocks; set data.break_mode to "
                    "'sentence', or prepare text of one language with --monolingual",
                    data.name()));
  }
  if (options.tokens < 1) {
    throw UsageError(
        fmt::format("data.block_tokens is {}; a block has at least 1 token", options.tokens));
  }
  if (options.mode == BreakMode::kComplete) {
    cut_by_sentences();
  } else {
    cut_everywhere();
  }
}

void Samples::cut_by_sentences() {
  for (int64_t sentence = 0; sentence < data_->size(); ++sentence) {
    const int64_t length = data_->target_length(sentence) + 1;
    if (blocks_.empty() || blocks_.back().length + length > options_.tokens) {
      blocks_.push_back({.sentence = sentence});
    }
    blocks_.back().length += length;
  }
}

void Samples::cut_everywhere() {
  for (int64_t sentence = 0; sentence < data_->size(); ++sentence) {
    const int64_t length = data_->target_length(sentence) + 1;
    for (int64_t token = 0; token < length;) {
      if (blocks_.empty() || blocks_.back().length == options_.tokens) {
        blocks_.push_back({.sentence = sentence, .token = token});
      }
      const int64_t taken = std::min(length - token, options_.tokens - blocks_.back().length);
      blocks_.back().length += taken;
      token += taken;
    }
  }
}

int64_t Samples::size() const { return sentences() ? data_->size() : std::ssize(blocks_); }

int64_t Samples::source_length(int64_t sample) const {
  return sentences() ? data_->source_length(sample) + 1 : 1;
}

int64_t Samples::target_length(int64_t sample) const {
  return sentences() ? data_->target_length(sample) + 1
                     : blocks_[static_cast<size_t>(sample)].length;
}

void Samples::append(int64_t sample, int32_t eos, Batch& batch) const {
  batch.sample_ids.push_back(sample);
  if (!monolingual()) {
    std::vector<int32_t> source;
    data_->append_source(sample, source);
    source.push_back(eos);
    batch.source.append(source);
  }
  append_text(sentences() ? Block{.sentence = sample, .length = target_length(sample)}
                          : blocks_[static_cast<size_t>(sample)],
              eos, batch);
}

void Samples::append_text(const Block& block, int32_t eos, Batch& batch) const {
  // The token before the block, then the block.
  std::vector<int32_t> text;
  text.reserve(static_cast<size_t>(block.length) + 1);
  if (block.token == 0) {
    text.push_back(eos);
  } else {
    data_->append_target(block.sentence, block.token - 1, block.token, text);
  }
  int64_t missing = block.length;
  for (int64_t sentence = block.sentence, token = block.token; missing > 0; ++sentence, token = 0) {
    const int64_t end = std::min(data_->target_length(sentence), token + missing);
    data_->append_target(sentence, token, end, text);
    missing -= end - token;
    if (missing == 0) break;
    text.push_back(eos);
    --missing;
  }
  batch.target_input.append(std::span(text).first(text.size() - 1));
  batch.target.append(std::span(text).subspan(1));
}

}  // namespace skein
