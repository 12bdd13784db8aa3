#include "skein/optim/optimizer.h"

#include "skein/optim/adafactor.h"
#include "skein/optim/adam.h"
#include "skein/optim/nag.h"
#include "skein/optim/sgd.h"

namespace skein {
namespace {

template <typename Type>
std::unique_ptr<Optimizer> make(const OptimizerOptions& options, const FlatParameters& parameters) {
  return std::make_unique<Type>(options, parameters);
}

Registry<OptimizerFactory> built_in_optimizers() {
  Registry<OptimizerFactory> registry("optimizer");
  registry.add("adam", make<Adam>);
  registry.add("adamw", make<AdamW>);
  registry.add("nag", make<Nag>);
  registry.add("sgd", make<Sgd>);
  registry.add("adafactor", make<Adafactor>);
  return registry;
}

void bind_adafactor(AdafactorOptions& options, Settings& settings) {
  settings.add("optimizer.adafactor.decay_rate", &options.decay_rate,
               "beta2 of update t is 1 - t^-decay_rate", {0, 1});
  settings.add("optimizer.adafactor.clip_threshold", &options.clip_threshold,
               "largest root mean square of an update", {1e-12, 1e12});
  settings.add("optimizer.adafactor.beta1", &options.beta1,
               "decay of the average of updates; 0: none", {0, 0.9999999});
  settings.add("optimizer.adafactor.epsilon", &options.epsilon, "added to squared gradients",
               {0, 1});
  settings.add("optimizer.adafactor.scale_parameter", &options.scale_parameter,
               "multiply the rate by the parameter's root mean square");
  settings.add("optimizer.adafactor.smallest_scale", &options.smallest_scale,
               "least factor of scale_parameter", {0, 1});
  settings.add("optimizer.adafactor.relative_step", &options.relative_step,
               "rate min(0.01, 1/sqrt(t)) in place of the schedule's");
  settings.add("optimizer.adafactor.warmup", &options.warmup,
               "with relative_step: rate min(t/1000000, 1/sqrt(t))");
}

}  // namespace

void OptimizerOptions::bind(Settings& settings) {
  const Range decay{0, 0.9999999};
  settings.add("optimizer.name", &name, "how parameters are updated", optimizer_registry().names());
  settings.add("optimizer.lr", &lr, "learning rate; a list: one for each of the first epochs",
               {0, 1e6});
  settings.add("optimizer.beta1", &beta1, "decay of the mean of gradients (adam, adamw)", decay);
  settings.add("optimizer.beta2", &beta2, "decay of their mean square (adam, adamw)", decay);
  settings.add("optimizer.epsilon", &epsilon, "added to the root mean square (adam, adamw)",
               {0, 1});
  settings.add("optimizer.weight_decay", &weight_decay,
               "part of a parameter that an update with rate 1 takes off", {0, 1e3});
  settings.add("optimizer.momentum", &momentum,
               "decay of past updates (nag, sgd); -1: 0.99 for nag, 0 for sgd", {-1, 0.9999999});
  bind_adafactor(adafactor, settings);
}

Registry<OptimizerFactory>& optimizer_registry() {
  static Registry<OptimizerFactory> registry = built_in_optimizers();
  return registry;
}

std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options,
                                          const FlatParameters& parameters) {
  return optimizer_registry().get(options.name)(options, parameters);
}

void append_state(const FlatParameters& parameters, const Tensor& flat, const std::string& what,
                  std::vector<NamedTensor>& all) {
  for (const FlatParameters::Part& part : parameters.parts) {
    all.push_back({part.name + "." + what, view(flat, part)});
  }
}

}  // namespace skein
