#include "skein/train/criterion.h"

namespace skein {
namespace {

// Szegedy et al. 2016; smoothing 0 is plain cross entropy.
class CrossEntropy final : public Criterion {
 public:
  explicit CrossEntropy(double smoothing) : smoothing_(smoothing) {}

  Loss operator()(Tape& tape, const Model& model, const Batch& batch) const override {
    const Variable features = model.features(tape, batch);
    return cross_entropy(tape, features, model.output(tape), batch.target.tokens, smoothing_);
  }

  void require(const Model& model) const override {
    Tape tape({.record = false, .training = false, .activations = model.inference_type()});
    require_smoothing(model.output(tape), smoothing_);
  }

 private:
  double smoothing_;
};

}  // namespace

void CriterionOptions::bind(Settings& settings) {
  settings.add("criterion.name", &name, "what is minimised; a plug-in may add its own",
               criterion_registry().names());
  settings.add("criterion.label_smoothing", &label_smoothing,
               "probability taken from the target and given to the other words", {0, 0.999});
}

Registry<CriterionFactory>& criterion_registry() {
  static Registry<CriterionFactory> registry = [] {
    Registry<CriterionFactory> built_in("criterion");
    built_in.add("cross_entropy", [](const CriterionOptions&) -> std::unique_ptr<Criterion> {
      return std::make_unique<CrossEntropy>(0);
    });
    built_in.add("label_smoothed_cross_entropy",
                 [](const CriterionOptions& options) -> std::unique_ptr<Criterion> {
                   return std::make_unique<CrossEntropy>(options.label_smoothing);
                 });
    return built_in;
  }();
  return registry;
}

std::unique_ptr<Criterion> make_criterion(const CriterionOptions& options) {
  return criterion_registry().get(options.name)(options);
}

}  // namespace skein
