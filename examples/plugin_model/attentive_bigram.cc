// A small translation model as a plug-in: the next word depends on the word before it and on what
// that word, at its place, attends to in the source. One file, with everything that a model is:
// settings, parameters, training and step-by-step decoding.
#include <cmath>
#include <memory>
#include <vector>

#include "skein/autograd/functions.h"
#include "skein/base/error.h"
#include "skein/base/plugin.h"
#include "skein/models/registry.h"
#include "skein/nn/attention.h"
#include "skein/nn/feed_forward.h"
#include "skein/nn/positions.h"

namespace {

struct Options {
  int64_t width = 128;
  int64_t ffn = 256;
  int64_t heads = 4;
  int64_t max_positions = 1024;
  double dropout = 0.1;
};

// Where a hypothesis stands: its sentence and the number of its words.
class State : public skein::DecodeState {
 public:
  struct Row {
    int32_t sentence = 0;
    int32_t length = 0;
  };
  std::vector<Row> hypotheses;
  skein::Variable memory;               // keys and values of the source [source tokens, 2 width]
  std::vector<int32_t> source_offsets;  // [sentences + 1]

  int64_t rows() const override { return static_cast<int64_t>(hypotheses.size()); }
  void select(std::span<const int32_t> chosen) override {
    std::vector<Row> next;
    next.reserve(chosen.size());
    for (const int32_t row : chosen) next.push_back(hypotheses.at(static_cast<size_t>(row)));
    hypotheses = std::move(next);
  }
};

class AttentiveBigram : public skein::Model {
 public:
  AttentiveBigram(const Options& options, const skein::VocabularySizes& vocabulary)
      : options_(options),
        source_(add_embedding("source.weight", vocabulary.source)),
        target_(add_embedding("target.weight", vocabulary.target)),
        positions_(skein::sinusoidal_positions(options.max_positions, options.width)),
        attention_(parameters_, "attention",
                   {.width = options.width, .heads = options.heads, .dropout = 0}),
        attention_norm_(skein::make_layer_norm(parameters_, "attention_norm", options.width)),
        ffn_(parameters_, "ffn", {.width = options.width, .inner = options.ffn}),
        ffn_norm_(skein::make_layer_norm(parameters_, "ffn_norm", options.width)) {}

  bool has_source() const override { return true; }
  int64_t max_source_length() const override { return options_.max_positions; }
  int64_t max_target_length() const override { return options_.max_positions; }
  int64_t vocabulary() const override { return target_.shape()[0]; }
  skein::OutputProjection output(skein::Tape&) const override {
    return {target_, skein::Variable()};
  }

  skein::Variable features(skein::Tape& tape, const skein::Batch& batch) const override {
    const skein::PackedSequences& target = batch.target_input;
    const skein::Variable words = embed(tape, target_, target.tokens, target.offsets);
    const skein::Variable attended =
        attention_(tape, words, embed(tape, source_, batch.source.tokens, batch.source.offsets),
                   target.offsets, batch.source.offsets);
    return finish(tape, words, attended);
  }

  std::unique_ptr<skein::DecodeState> start(const skein::PackedSequences& source,
                                            int64_t sentences) const override {
    skein::Tape tape = inference_tape();
    auto state = std::make_unique<State>();
    for (int32_t s = 0; s < sentences; ++s) state->hypotheses.push_back({s, 0});
    state->memory = attention_.memory(tape, embed(tape, source_, source.tokens, source.offsets));
    state->source_offsets = source.offsets;
    return state;
  }

  skein::Tensor step(skein::DecodeState& base, std::span<const int32_t> previous) const override {
    auto& state = dynamic_cast<State&>(base);
    std::vector<int32_t> positions, sentences;
    for (State::Row& each : state.hypotheses) {
      positions.push_back(each.length++ + skein::kFirstPositionRow);
      sentences.push_back(each.sentence);
    }
    const skein::CacheRows visible = skein::rows_of_sentences(sentences, state.source_offsets, 1);
    skein::Tape tape = inference_tape();
    const skein::Variable words = embed_at(tape, target_, previous, positions);
    return project(finish(tape, words, attention_.step(tape, words, state.memory, visible)),
                   output(tape));
  }

  double training_flops(const skein::Batch& batch) const override {
    const auto source = static_cast<double>(batch.source.tokens.size());
    const auto target = static_cast<double>(batch.target.tokens.size());
    const auto width = static_cast<double>(options_.width);
    const auto vocabulary = static_cast<double>(target_.shape()[0]);
    return 6 * width *
           (2 * width * (source + target) +
            target * (2 * static_cast<double>(options_.ffn) + vocabulary));
  }

 private:
  skein::Variable add_embedding(const char* name, int64_t words) {
    const double width = static_cast<double>(options_.width);
    return parameters_.add(name, {words, options_.width}, skein::normal(1 / std::sqrt(width)));
  }

  skein::Variable embed_at(skein::Tape& tape, const skein::Variable& table,
                           std::span<const int32_t> ids, std::span<const int32_t> rows) const {
    return skein::embed(tape, {.ids = ids,
                               .position_rows = rows,
                               .table = table,
                               .positions = positions_,
                               .scale = std::sqrt(static_cast<double>(options_.width)),
                               .dropout = options_.dropout});
  }

  skein::Variable embed(skein::Tape& tape, const skein::Variable& table,
                        std::span<const int32_t> ids, std::span<const int32_t> offsets) const {
    return embed_at(tape, table, ids, skein::position_rows(offsets));
  }

  skein::Variable finish(skein::Tape& tape, const skein::Variable& words,
                         const skein::Variable& attended) const {
    const skein::Variable x =
        residual_norm(tape, attended, words, options_.dropout, attention_norm_).normalized;
    return residual_norm(tape, ffn_(tape, x), x, options_.dropout, ffn_norm_).normalized;
  }

  Options options_;
  skein::Variable source_;  // [source vocabulary, width]
  skein::Variable target_;  // [target vocabulary, width]
  skein::Variable positions_;
  skein::CrossAttention attention_;
  skein::NormParameters attention_norm_;
  skein::FeedForward ffn_;
  skein::NormParameters ffn_norm_;
};

class Config : public skein::ModelConfig {
 public:
  void bind(skein::Settings& settings) override {
    settings.add("model.width", &options_.width, "width of embeddings and layers", {1, 1 << 16});
    settings.add("model.ffn", &options_.ffn, "inner width of the feed-forward layer", {1, 1 << 18});
    settings.add("model.heads", &options_.heads, "attention heads", {1, 1 << 10});
    settings.add("model.max_positions", &options_.max_positions, "longest sentence in tokens",
                 {1, 65536});
    settings.add("model.dropout", &options_.dropout, "dropout", {0, 0.999});
  }

  std::unique_ptr<skein::Model> build(const skein::VocabularySizes& vocabulary) const override {
    if (vocabulary.source == 0) {
      throw skein::UsageError("attentive_bigram translates; prepare parallel text");
    }
    if (options_.width % options_.heads != 0) {
      throw skein::UsageError("model.width must be a multiple of model.heads; change one of them");
    }
    return std::make_unique<AttentiveBigram>(options_, vocabulary);
  }

 private:
  Options options_;
};

}  // namespace

extern "C" void skein_register_plugin() {
  skein::models().add("attentive_bigram", [] { return std::make_unique<Config>(); });
}
