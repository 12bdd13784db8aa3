#include "skein/train/options.h"

#include "skein/kernels/matmul.h"

namespace skein {

TrainOptions::TrainOptions(const std::string& name)
    : model_name(name), model(models().get(name)()) {
  // A language model is judged by its perplexity, which smoothing makes worse.
  if (!model->has_source()) criterion.name = "cross_entropy";
  bind();
}

void TrainOptions::bind() {
  const Range natural{0, 1e15};
  const Range positive{1, 1e15};
  Settings& s = settings_;
  s.add("model.name", &model_name, "architecture and preset", {model_name});
  model->bind(s);
  optimizer.bind(s);
  schedule.bind(s);
  criterion.bind(s);
  average.bind(s);
  s.add("train.seed", &loop.seed, "of initial values, the order of samples and dropout", natural);
  s.add("train.precision", &loop.precision, "of products and stored activations",
        {"auto", "bf16", "f32"});
  s.add("train.max_updates", &loop.max_updates, "updates before the end; 0: no bound", natural);
  s.add("train.max_epochs", &loop.max_epochs, "epochs before the end; 0: no bound", natural);
  s.add("train.max_minutes", &loop.max_minutes, "minutes of training before the end; 0: no bound",
        natural);
  s.add("train.accumulate", &loop.accumulate, "batches whose gradients make one update", positive);
  s.add("train.clip_norm", &loop.clip_norm, "bound of the gradient's norm; 0: none", natural);
  s.add("train.log_every", &loop.log_every, "updates between two rows of the log", positive);
  s.add("data.max_tokens", &data.max_tokens, "source tokens, and target tokens, a batch", positive);
  s.add("data.max_sentences", &data.max_sentences, "sentences a batch; 0: no bound", natural);
  s.add("data.order", &data.order, "of batches within an epoch",
        {"shuffled", "shortest_first", "file"});
  s.add("data.break_mode", &data.break_mode,
        "text of a language model: each sentence by itself, blocks of whole (complete) sentences, "
        "or blocks of equal length (none)",
        {"sentence", "complete", "none"});
  s.add("data.block_tokens", &data.block_tokens, "tokens of such a block, end marks included",
        positive);
  s.add("data.weights", &data.weights,
        "how often an epoch sees each folder of --data; none given: once");
  s.add("data.temperature", &data.temperature,
        "above 1: smaller folders are seen more often, at infinity as much as the largest",
        {1e-3, 1e9});
  s.add("data.source_sampling", &data.source_sampling,
        "source words are split at random: unigram: exponent, 0.1 to 0.5 is usual; bpe and codes: "
        "probability that a merge is left out, 0.1 is usual; 0: no",
        {0, 1e9});
  s.add("data.target_sampling", &data.target_sampling, "the same of target words", {0, 1e9});
  s.add("validation.every", &validation.every, "updates between validations; 0: after every epoch",
        natural);
  s.add("validation.metric", &validation.metric, "which decides what is best", {"loss", "bleu"});
  s.add("validation.bleu", &validation.bleu, "translate the validation set and score it");
  s.add("validation.beam", &validation.beam, "beam of these translations", {1, 1000});
  s.add("validation.patience", &validation.patience,
        "validations without a new best before training ends; 0: never", natural);
  s.add("checkpoint.every", &checkpoint.every, "updates between checkpoints; 0: at validations",
        natural);
  s.add("checkpoint.keep_last", &checkpoint.keep_last, "newest checkpoints that are kept",
        positive);
  s.add("checkpoint.keep_best", &checkpoint.keep_best, "best checkpoints that are kept", positive);
  s.add("parallel.zero", &parallel.zero,
        "stage of ZeRO: 1: processes share the optimiser's state; 0: each has all of it", {0, 1});
  s.add("language.source", &language.source, "filled in from the data");
  s.add("language.target", &language.target, "filled in from the data");
  s.add("language.source_vocabulary", &language.source_vocabulary, "filled in from the data");
  s.add("language.target_vocabulary", &language.target_vocabulary, "filled in from the data");
}

BlockOptions DataOptions::blocks() const {
  const BreakMode mode = break_mode == "none"       ? BreakMode::kNone
                         : break_mode == "complete" ? BreakMode::kComplete
                                                    : BreakMode::kSentence;
  return {.mode = mode, .tokens = block_tokens};
}

std::string model_name_in(std::string_view text, const std::string& origin) {
  return toml_value(text, origin, "model", "name");
}

DType activation_type(const std::string& precision) {
  if (precision == "f32") return DType::kF32;
  if (precision == "bf16") return DType::kBF16;
  return kernels::native_bf16() ? DType::kBF16 : DType::kF32;
}

}  // namespace skein
