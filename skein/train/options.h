// Everything that `skein train` can be told, by dotted name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "skein/base/settings.h"
#include "skein/data/samples.h"
#include "skein/models/registry.h"
#include "skein/optim/moving_average.h"
#include "skein/optim/optimizer.h"
#include "skein/optim/schedule.h"
#include "skein/tensor/dtype.h"
#include "skein/train/criterion.h"

namespace skein {

struct LoopOptions {
  int64_t seed = 1;
  std::string precision =
      "auto";               // "auto": bf16 where the processor multiplies it natively, else f32
  int64_t max_updates = 0;  // 0: no bound, as in the next two; one of them must be given
  int64_t max_epochs = 0;
  double max_minutes = 0;   // of training in this process
  int64_t accumulate = 1;   // batches an update
  double clip_norm = 1;     // 0: no clipping
  int64_t log_every = 100;  // updates
};

struct DataOptions {
  int64_t max_tokens = 4096;  // of source, and of target, a batch
  int64_t max_sentences = 0;  // 0: no bound
  std::string order = "shuffled";
  std::string break_mode = "sentence";  // of a language model's text; see BreakMode
  int64_t block_tokens = 512;           // of the other modes
  std::vector<double> weights;          // of several folders; see mixture_rates()
  double temperature = 1;
  double source_sampling = 0;  // 0: none; else as Tokenizer::resample() takes it
  double target_sampling = 0;

  BlockOptions blocks() const;
};

struct ValidationOptions {
  int64_t every = 0;            // updates; 0: after every epoch
  std::string metric = "loss";  // which one decides what is best: "loss" or "bleu"
  bool bleu = false;            // translate the validation set too
  int64_t beam = 1;
  int64_t patience = 0;  // validations without a new best before training ends; 0: never
};

struct CheckpointOptions {
  int64_t every = 0;  // updates, besides every validation; 0: only then
  int64_t keep_last = 5;
  int64_t keep_best = 1;
};

// How ranks share the work; nothing of it changes what is trained.
struct ParallelOptions {
  int64_t zero = 0;  // 1: the optimiser's state is split over the ranks; 0: all have it
};

// What the data decides; training fills it in, and whoever loads the model reads it.
struct LanguageOptions {
  std::string source;  // empty: a language model
  std::string target;
  std::string source_vocabulary;  // file names in the model folder
  std::string target_vocabulary;
};

// All of them together, and the model's own.
class TrainOptions {
 public:
  // Throws UsageError for an unknown model.
  explicit TrainOptions(const std::string& model_name);
  TrainOptions(const TrainOptions&) = delete;
  TrainOptions& operator=(const TrainOptions&) = delete;

  Settings& settings() { return settings_; }
  const Settings& settings() const { return settings_; }
  std::string to_toml() const { return settings_.to_toml(); }

  std::string model_name;
  std::unique_ptr<ModelConfig> model;
  OptimizerOptions optimizer;
  ScheduleOptions schedule;
  CriterionOptions criterion;
  MovingAverageOptions average;
  LoopOptions loop;
  DataOptions data;
  ValidationOptions validation;
  CheckpointOptions checkpoint;
  ParallelOptions parallel;
  LanguageOptions language;

 private:
  void bind();

  Settings settings_;
};

// The name of the model that a configuration in TOML asks for (`model.name`); empty if it does not.
std::string model_name_in(std::string_view toml, const std::string& origin);

// The type of products and activations for "auto", "f32" or "bf16".
DType activation_type(const std::string& precision);

}  // namespace skein
