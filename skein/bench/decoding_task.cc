#include "skein/bench/decoding_task.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "skein/base/error.h"
#include "skein/base/files.h"
#include "skein/data/line_reader.h"
#include "skein/decode/source_text.h"
#include "skein/text/vocabulary.h"
#include "skein/train/load_model.h"
#include "skein/train/model_folder.h"

namespace skein {
namespace {

SourceText encode_line(const std::string& line, const LineReader& lines, const Tokenizer& tokenizer,
                       int64_t max_length) {
  try {
    return encode_source(line, tokenizer, max_length, LongLines::kSplit);
  } catch (const FormatError& error) {
    throw FormatError(fmt::format("{}: {}", lines.where(), error.what()));
  }
}

}  // namespace

SentencesToTranslate forced_lengths(std::span<const TokenPair> pairs) {
  SentencesToTranslate sentences;
  for (const TokenPair& pair : pairs) {
    sentences.sources.push_back(pair.source);
    sentences.sources.back().push_back(kEosId);
    sentences.target_lengths.push_back(static_cast<int64_t>(pair.target.size()));
  }
  return sentences;
}

SentencesToTranslate read_sentences(const std::filesystem::path& path, const Tokenizer& tokenizer,
                                    int64_t max_source_length) {
  SentencesToTranslate sentences;
  LineReader lines(path);
  std::string line;
  while (lines.next(line)) {
    SourceText text = encode_line(line, lines, tokenizer, max_source_length);
    for (SourcePart& part : text.parts) sentences.sources.push_back(std::move(part.tokens));
  }
  if (sentences.sources.empty()) {
    throw FormatError(
        fmt::format("{} has no line with content; expected sentences to translate", path.string()));
  }
  return sentences;
}

std::unique_ptr<Model> random_model(const ModelConfig& config, int64_t vocabulary, DType type,
                                    uint64_t seed) {
  const bool translates = config.has_source();
  auto model = config.build(
      {.source = translates ? vocabulary : 0, .target = vocabulary, .shared = translates});
  model->set_inference_type(type);
  model->parameters().allocate({.half = type == DType::kBF16, .gradients = false});
  model->parameters().initialize(seed);
  model->parameters().freeze();
  return model;
}

void write_decoding_task(const std::string& config, const Model& model,
                         std::span<const TokenPair> pairs, const std::filesystem::path& folder) {
  require_writable_folder(folder);
  write_file(folder / kConfigFile, config);
  write_safetensors(folder / kParametersFile, named_parameters(model.parameters()), {});
  write_pairs(pairs, folder / "sentences.jsonl");
}

void write_hypotheses(std::span<const std::vector<int32_t>> hypotheses,
                      const std::filesystem::path& path) {
  std::string text;
  for (const std::vector<int32_t>& tokens : hypotheses) {
    text += nlohmann::json(tokens).dump() + "\n";
  }
  write_file(path, text);
}

}  // namespace skein
