// Uses the installed library and a plug-in's model: step by step must give what the whole sentence
// gives, and training must lower the loss.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <vector>

#include "skein/autograd/loss.h"
#include "skein/base/error.h"
#include "skein/base/plugin.h"
#include "skein/models/registry.h"

namespace {

constexpr int kVocabulary = 7;

skein::Batch example() {
  skein::Batch batch;
  const std::vector<int32_t> first = {4, 5, 6, 2};
  const std::vector<int32_t> second = {3, 2};
  batch.source.append(first);
  batch.source.append(second);
  batch.target_input.append(std::vector<int32_t>{2, 6, 5});
  batch.target_input.append(std::vector<int32_t>{2, 3, 3, 4});
  batch.target.append(std::vector<int32_t>{6, 5, 2});
  batch.target.append(std::vector<int32_t>{3, 3, 4, 2});
  return batch;
}

float largest_difference(const skein::Model& model, const skein::Batch& batch) {
  skein::Tape tape({.record = false, .training = false});
  const skein::Tensor whole = skein::project(model.features(tape, batch), model.output(tape));
  float largest = 0;
  for (size_t s = 0; s < batch.source.sentences(); ++s) {
    skein::PackedSequences source;
    source.append(batch.source.sentence(s));
    const std::unique_ptr<skein::DecodeState> state = model.start(source, 1);
    auto row = static_cast<size_t>(batch.target_input.offsets[s]);
    for (const int32_t token : batch.target_input.sentence(s)) {
      const skein::Tensor logits = model.step(*state, std::span(&token, 1));
      for (size_t v = 0; v < kVocabulary; ++v) {
        const float difference =
            logits.data<float>()[v] - whole.data<float>()[row * kVocabulary + v];
        largest = std::max(largest, std::abs(difference));
      }
      ++row;
    }
  }
  return largest;
}

double summed_loss(skein::Tape& tape, const skein::Model& model, const skein::Batch& batch,
                   skein::Variable* variable) {
  const skein::OutputProjection output = model.output(tape);
  const skein::Loss loss =
      skein::projected_cross_entropy(tape, {.features = model.features(tape, batch),
                                            .weight = output.weight,
                                            .bias = output.bias,
                                            .targets = batch.target.tokens});
  if (variable != nullptr) *variable = loss.variable;
  return loss.sums.plain;
}

// One step of gradient descent; returns the loss before it.
double descend(skein::Model& model, const skein::Batch& batch) {
  skein::ParameterStore& parameters = model.parameters();
  parameters.clear_gradients();
  skein::Tape tape({.training = false});
  skein::Variable loss;
  const double before = summed_loss(tape, model, batch, &loss);
  tape.backward(loss);
  parameters.complete_gradients();
  const std::span<float> values = parameters.values().values<float>();
  const std::span<const float> gradients = parameters.gradients().values<float>();
  for (size_t i = 0; i < values.size(); ++i) values[i] -= 0.01F * gradients[i];
  return before;
}

void check(bool holds, const char* sentence) {
  if (!holds) throw skein::Error(sentence);
}

void run(const char* plugin) {
  skein::load_plugin(plugin);
  const std::unique_ptr<skein::Model> model = skein::models().get("attentive_bigram")()->build(
      {.source = kVocabulary, .target = kVocabulary});
  model->parameters().allocate({.gradients = true});
  model->parameters().initialize(1);
  check(largest_difference(*model, example()) < 1e-4F,
        "step by step differs from the whole sentence");
  const double first = descend(*model, example());
  check(descend(*model, example()) < first, "a step of training does not lower the loss");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    check(argc == 2, "usage: try_plugin PLUGIN.so");
    run(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "try_plugin: %s\n", error.what());
    return 1;
  }
  return 0;
}
