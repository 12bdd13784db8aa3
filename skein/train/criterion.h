// What training minimises. Chosen by `criterion.name`; a plug-in adds its own to
// criterion_registry().
#pragma once

#include <memory>
#include <string>

#include "skein/autograd/loss.h"
#include "skein/base/registry.h"
#include "skein/base/settings.h"
#include "skein/data/batch.h"
#include "skein/models/model.h"

namespace skein {

class Criterion {
 public:
  virtual ~Criterion() = default;
  // The loss of a batch, summed over its target tokens.
  virtual Loss operator()(Tape& tape, const Model& model, const Batch& batch) const = 0;
  // Before the first batch: throws UsageError if this model has no such loss.
  virtual void require(const Model& /*model*/) const {}
};

struct CriterionOptions {
  std::string name = "label_smoothed_cross_entropy";  // or "cross_entropy"
  double label_smoothing = 0.1;

  // Binds every member under `criterion.`.
  void bind(Settings& settings);
};

using CriterionFactory = std::unique_ptr<Criterion> (*)(const CriterionOptions&);
Registry<CriterionFactory>& criterion_registry();

// Throws UsageError for an unknown name.
std::unique_ptr<Criterion> make_criterion(const CriterionOptions& options);

}  // namespace skein
