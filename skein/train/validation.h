// How good a model is on held-out text: loss, perplexity and BLEU of its translations.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "skein/data/samples.h"
#include "skein/models/model.h"
#include "skein/text/tokenizer.h"
#include "skein/train/options.h"

namespace skein {

struct ValidationResult {
  double loss = 0;             // of the criterion, nats a target token
  double nll = 0;              // negative log-likelihood, nats a target token
  double perplexity = 0;       // e^nll
  std::optional<double> bleu;  // 13a, cased
};

class Validator {
 public:
  struct Inputs {
    const DataSet& data;
    const Criterion& criterion;
    const Tokenizer& target_tokenizer;
    std::filesystem::path reference;  // raw target text; read when BLEU is asked for
    BlockOptions blocks = {};         // of a language model's text
  };
  // All must outlive the validator. Throws UsageError if BLEU is asked of a language model's data.
  Validator(const Inputs& inputs, const ValidationOptions& options, int64_t max_tokens);

  ValidationResult run(const Model& model) const;

 private:
  LossSums losses(const Model& model) const;
  double bleu(const Model& model) const;

  Inputs inputs_;
  ValidationOptions options_;
  std::vector<Batch> batches_;
  std::vector<std::string> references_;
};

}  // namespace skein
