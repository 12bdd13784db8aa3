#include "skein/models/word_tables.h"

namespace skein {

WordTables::WordTables(ParameterStore& store, const WordTableOptions& options,
                       const VocabularySizes& vocabulary)
    : vocabulary_(vocabulary.target) {
  const TokenEmbedding::Options& how = options.embedding;
  const Initializer initial = TokenEmbedding::initializer(how.width);
  const bool one_table = options.has_source && options.share == "all";
  if (options.has_source) {
    const char* name = one_table ? "embedding.weight" : "encoder.embedding.weight";
    source_.emplace(store, "encoder", store.add(name, {vocabulary.source, how.width}, initial),
                    how);
  }
  if (options.bands && options.adaptive_input) {
    const AdaptiveInput words(
        store, "decoder.embedding",
        {.bands = *options.bands, .width = how.width, .factor = options.adaptive_factor});
    target_.emplace(store, "decoder", words, how);
  } else {
    target_.emplace(store, "decoder",
                    one_table
                        ? source_->table()
                        : store.add("decoder.embedding.weight", {vocabulary_, how.width}, initial),
                    how);
  }
  add_output(store, options);
}

void WordTables::add_output(ParameterStore& store, const WordTableOptions& options) {
  const int64_t width = options.embedding.width;
  const bool shared = options.share != "none";
  if (options.bands) {
    if (shared && target_->bands()) {
      adaptive_output_.emplace(store, "output", *target_->bands(), options.adaptive_dropout);
    } else {
      adaptive_output_.emplace(store, "output",
                               AdaptiveSoftmax::Options{.bands = *options.bands,
                                                        .features = width,
                                                        .factor = options.adaptive_factor,
                                                        .dropout = options.adaptive_dropout});
    }
  } else if (shared) {
    output_ = target_->table();
  } else {
    output_ = store.add("output.weight", {vocabulary_, width}, TokenEmbedding::initializer(width));
  }
}

OutputProjection WordTables::output(Tape& tape) const {
  if (!adaptive_output_) return {.weight = output_, .bias = {}};
  return {.weight = {}, .bias = {}, .adaptive = adaptive_output_->weights(tape)};
}

double WordTables::output_multiply_adds(std::span<const int32_t> targets) const {
  if (adaptive_output_) return adaptive_output_->multiply_adds(targets);
  return static_cast<double>(targets.size()) * static_cast<double>(output_.value().elements());
}

}  // namespace skein
