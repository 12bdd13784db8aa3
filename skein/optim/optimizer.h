// Optimisers over flat buffers. Chosen by `optimizer.name`; a plug-in adds its own to
// optimizer_registry().
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "skein/base/registry.h"
#include "skein/base/settings.h"
#include "skein/optim/flat_parameters.h"
#include "skein/optim/named_numbers.h"
#include "skein/tensor/named_tensor.h"

namespace skein {

struct UpdateStep {
  double lr = 0;
  double gradient_scale = 1;  // the gradients count as multiplied by this
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // One update of all parameters, and of their bf16 copies.
  virtual void step(const UpdateStep& step) = 0;

  // Together the whole state, so that a resumed run is the same to the bit. The tensors are views,
  // named by parameter, a dot and what they are: "encoder.embedding.mean". Writing to them restores
  // the state.
  virtual std::vector<NamedTensor> state_tensors() const = 0;
  virtual NamedNumbers state_numbers() const { return {}; }
  // Throws FormatError if a number is missing.
  virtual void restore_numbers(const NamedNumbers& /*numbers*/) {}
};

struct AdafactorOptions {
  double decay_rate = 0.8;  // beta2 of update t is 1 - t^-decay_rate
  double clip_threshold = 1;
  double beta1 = 0;  // 0: no average of the updates, and no memory for it
  double epsilon = 1e-30;
  bool scale_parameter = false;  // lr times max(smallest_scale, rms of the parameter)
  double smallest_scale = 1e-3;
  bool relative_step = false;  // lr of update t is min(1e-2, t^-0.5); the schedule's is not used
  bool warmup = false;         // with relative_step: min(1e-6 t, t^-0.5)
};

// Each optimiser's header says which of these it reads.
struct OptimizerOptions {
  std::string name = "adam";
  std::vector<double> lr = {5e-4};  // for the schedule: one rate, or one an epoch
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-8;
  double weight_decay = 0;
  double momentum = -1;  // negative: 0.99 for nag, 0 for sgd
  AdafactorOptions adafactor = {};

  // Binds every member under `optimizer.`.
  void bind(Settings& settings);
};

using OptimizerFactory = std::unique_ptr<Optimizer> (*)(const OptimizerOptions&,
                                                        const FlatParameters&);
Registry<OptimizerFactory>& optimizer_registry();

// Throws UsageError for an unknown name.
std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options,
                                          const FlatParameters& parameters);

// A name and a view for every parameter's part of a flat state buffer. For optimisers.
void append_state(const FlatParameters& parameters, const Tensor& flat, const std::string& what,
                  std::vector<NamedTensor>& all);

}  // namespace skein
