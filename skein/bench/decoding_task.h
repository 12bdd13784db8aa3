// What a measurement of translation works on: sentences, and a model where there is none trained.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "skein/bench/random_pairs.h"
#include "skein/models/registry.h"
#include "skein/text/tokenizer.h"

namespace skein {

struct SentencesToTranslate {
  std::vector<std::vector<int32_t>> sources;  // each ends in eos
  // Tokens that each translation has before eos, no more and no less: a model with random
  // parameters would hardly ever end. Empty: the model decides.
  std::vector<int64_t> target_lengths = {};
};
// The sources, to be translated into as many tokens as the targets have.
SentencesToTranslate forced_lengths(std::span<const TokenPair> pairs);
// The lines of a file, plain, .gz or .zst, that have content; a line beyond the model's positions
// becomes several sentences. Throws FileError; FormatError, with file and line, for one that is not
// UTF-8 or a file without content.
SentencesToTranslate read_sentences(const std::filesystem::path& path, const Tokenizer& tokenizer,
                                    int64_t max_source_length);

// Random parameters; one vocabulary of that size for both languages; products and activations of
// `type`. Throws what ModelConfig::build throws.
std::unique_ptr<Model> random_model(const ModelConfig& config, int64_t vocabulary, DType type,
                                    uint64_t seed);

// For benchmarks of other systems, in a folder that is made if need be: `config.toml` (the settings
// in TOML), `model.safetensors` (the parameters, f32) and `sentences.jsonl` (see write_pairs).
// Throws FileError.
void write_decoding_task(const std::string& config, const Model& model,
                         std::span<const TokenPair> pairs, const std::filesystem::path& folder);
// What was found, to compare with what others find in the same task: JSON lines, a list of token
// ids each. Throws FileError.
void write_hypotheses(std::span<const std::vector<int32_t>> hypotheses,
                      const std::filesystem::path& path);

}  // namespace skein
