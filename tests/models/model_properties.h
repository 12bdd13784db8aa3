// What holds for every model, whatever its architecture and settings.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "models/random_batch.h"
#include "plain_functions.h"
#include "skein/kernels/cross_entropy.h"
#include "skein/models/model.h"
#include "skein/models/registry.h"

namespace skein {

// Each within `tolerance` times the largest of what is expected, or of 1.
template <typename Expected>
void expect_near(std::span<const float> actual, std::span<const Expected> expected,
                 double tolerance, const std::string& what = "element") {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  double largest = 1;
  for (const Expected value : expected) largest = std::max(largest, std::abs(double{value}));
  for (size_t i = 0; i < actual.size(); ++i) {
    ASSERT_NEAR(actual[i], expected[i], tolerance * largest) << what << " " << i;
  }
}

// [target tokens, width], without dropout.
inline Tensor whole_features(const Model& model, const Batch& batch, DType type = DType::kF32) {
  Tape tape({.record = false, .training = false, .activations = type});
  return model.features(tape, batch).value();
}

inline Tensor whole_logits(const Model& model, const Batch& batch) {
  Tape tape({.record = false, .training = false});
  const Variable features = model.features(tape, batch);
  return project(features, model.output(tape));
}

// The gradients of a batch's loss, parameter after parameter.
struct Gradients {
  enum class Stages { kOne, kTwo };
  LossSums sums;
  std::vector<float> values;
};
inline Gradients gradients_of(Model& model, const Batch& batch, Tape::Options how,
                              Gradients::Stages stages = Gradients::Stages::kOne) {
  model.parameters().clear_gradients();
  Tape tape(how);
  const Variable features = model.features(tape, batch);
  const OutputProjection output = model.output(tape);
  const Loss loss = cross_entropy(tape, features, output, batch.target.tokens,
                                  /*smoothing=*/output.adaptive ? 0 : 0.1);
  if (stages == Gradients::Stages::kOne) {
    tape.backward(loss.variable);
  } else {
    tape.backward_inputs(loss.variable);
    tape.backward_weights();
  }
  model.parameters().complete_gradients();
  const auto values = model.parameters().gradients().values<float>();
  return {loss.sums, {values.begin(), values.end()}};
}

// The change of the loss along random directions in a parameter, against the gradient that the
// model holds of it. `values` are those of the parameter, in whatever the loss is computed from.
template <typename Value>
void expect_gradient_along_directions(const Parameter& parameter, std::span<Value> values,
                                      const std::function<double()>& loss, double step,
                                      double tolerance) {
  SCOPED_TRACE(parameter.name);
  Random random(1);
  const std::vector<Value> centre(values.begin(), values.end());
  std::vector<double> direction;
  double expected = 0, norm = 0;
  for (const float value : parameter.variable.gradient()->tensor().values<float>()) {
    direction.push_back(random.normal());
    expected += direction.back() * double{value};
    norm += double{value} * double{value};
  }
  const auto loss_at = [&](double distance) {
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<Value>(double{centre[i]} + distance * direction[i]);
    }
    return loss();
  };
  const double difference = (loss_at(step) - loss_at(-step)) / (2 * step);
  std::ranges::copy(centre, values.begin());
  EXPECT_NEAR(difference, expected, tolerance * std::max(std::sqrt(norm), 0.1));
}

// Against a twin in double precision, for one sentence and for several. `Twin` has features(tape,
// batch).
template <typename Twin>
void expect_features_of_the_twin(const Model& model, Twin&& twin,
                                 const VocabularySizes& vocabulary) {
  for (const int64_t sentences : {1, 4}) {
    const Batch batch = random_batch(vocabulary, sentences, 3);
    Tape no_masks({.training = false});
    const plain::Matrix expected = twin.features(no_masks, batch);
    expect_near<double>(whole_features(model, batch).values<float>(), expected.values, 2e-5);
  }
}

// Against a twin in double precision, which computes `loss` from `parameters`. Without fused
// multiply-adds (the oldest processors) f32 is off by up to 1.3e-4.
inline void expect_gradients_of_the_twin(const Model& model,
                                         std::map<std::string, plain::Matrix>& parameters,
                                         const std::function<double()>& loss) {
  for (const Parameter& each : model.parameters().parameters()) {
    expect_gradient_along_directions<double>(each, parameters.at(each.name).values, loss, 1e-6,
                                             2e-4);
  }
}

inline void expect_sentences_as_alone(const Model& model, const VocabularySizes& vocabulary) {
  const Batch batch = random_batch(vocabulary, 5, 4);
  const Tensor together = whole_features(model, batch);
  for (size_t s = 0; s < 5; ++s) {
    const Tensor alone = whole_features(model, chosen_sentences(batch, std::vector{s}));
    const Tensor part =
        together.slice(batch.target_input.offsets[s], batch.target_input.offsets[s + 1]);
    expect_near<float>(alone.values<float>(), part.values<float>(), 1e-5);
  }
}

// Neither what a sentence gets nor the sum over the batch.
inline void expect_order_to_change_nothing(Model& model, const VocabularySizes& vocabulary) {
  const Batch batch = random_batch(vocabulary, 4, 9);
  const std::vector<size_t> order = {2, 0, 3, 1};
  const Batch other = chosen_sentences(batch, order);
  const Tensor features = whole_features(model, batch);
  const Tensor reordered = whole_features(model, other);
  for (size_t i = 0; i < order.size(); ++i) {
    const auto rows_of = [](const Batch& from, const Tensor& tensor, size_t s) {
      return tensor.slice(from.target_input.offsets[s], from.target_input.offsets[s + 1]);
    };
    const Tensor expected = rows_of(batch, features, order[i]);
    const Tensor actual = rows_of(other, reordered, i);
    expect_near<float>(actual.values<float>(), expected.values<float>(), 1e-5);
  }
  const Gradients one = gradients_of(model, batch, {.training = false});
  const Gradients two = gradients_of(model, other, {.training = false});
  EXPECT_NEAR(two.sums.smoothed, one.sums.smoothed, 1e-5 * one.sums.smoothed);
  expect_near<float>(two.values, std::span<const float>(one.values), 1e-4);
}

// Hypotheses branch, change places and vanish, as in beam search; then each is run whole.
inline void expect_steps_to_equal_the_whole(const Model& model, const VocabularySizes& vocabulary) {
  constexpr int64_t kSentences = 3;
  const Batch batch = random_batch(vocabulary, kSentences, 6);
  Random random(2);
  struct Hypothesis {
    size_t sentence;
    std::vector<int32_t> tokens;
  };
  std::vector<Hypothesis> hypotheses = {{0, {}}, {1, {}}, {2, {}}};
  const auto state = model.start(batch.source, kSentences);
  const int64_t longest = std::min<int64_t>(model.max_target_length(), 9);
  for (int64_t position = 0; position < longest; ++position) {
    const auto rows = static_cast<int64_t>(hypotheses.size());
    const std::vector<int32_t> previous = random_tokens(random, rows, vocabulary.target);
    const Tensor logits = model.step(*state, previous);
    Batch whole;
    for (size_t row = 0; row < hypotheses.size(); ++row) {
      hypotheses[row].tokens.push_back(previous[row]);
      if (model.has_source()) {
        whole.source.append(batch.source.sentence(hypotheses[row].sentence));
      }
      whole.target_input.append(hypotheses[row].tokens);
    }
    const Tensor expected = whole_logits(model, whole);
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t last = (row + 1) * (position + 1) - 1;
      const Tensor one = logits.slice(row, row + 1), same = expected.slice(last, last + 1);
      expect_near<float>(one.values<float>(), same.values<float>(), 1e-5);
    }
    const std::vector<int32_t> chosen = random_tokens(random, random_between(random, 1, 5), rows);
    state->select(chosen);
    std::vector<Hypothesis> next;
    for (const int32_t row : chosen) next.push_back(hypotheses[static_cast<size_t>(row)]);
    hypotheses = std::move(next);
  }
  if (model.max_target_length() == longest) {
    EXPECT_THROW(model.step(*state, std::vector<int32_t>(hypotheses.size())), ShapeError);
  }
}

// For frozen parameters: decoding gives a sentence the same bits alone and among `sentences`.
inline void expect_steps_to_be_independent(const Model& model, const VocabularySizes& vocabulary,
                                           int64_t sentences, int64_t longest) {
  Random random(1);
  const Batch batch = random_batch(vocabulary, sentences, 1, longest);
  std::vector<std::vector<int32_t>> previous;
  std::vector<Tensor> together;
  const auto state = model.start(batch.source, sentences);
  for (int position = 0; position < 3; ++position) {
    previous.push_back(random_tokens(random, sentences, vocabulary.target));
    together.push_back(model.step(*state, previous.back()));
  }
  for (int64_t s = 0; s < sentences; s += 9) {
    SCOPED_TRACE(s);
    const auto alone =
        model.start(chosen_sentences(batch, std::vector{static_cast<size_t>(s)}).source, 1);
    for (size_t position = 0; position < previous.size(); ++position) {
      const int32_t token = previous[position][static_cast<size_t>(s)];
      const Tensor logits = model.step(*alone, std::span(&token, 1));
      const Tensor expected = together[position].slice(s, s + 1);
      EXPECT_TRUE(std::ranges::equal(logits.values<float>(), expected.values<float>()));
    }
  }
}

// For frozen parameters: several tokens read at once leave the state that steps leave.
inline void expect_reading_to_equal_steps(const Model& model, const VocabularySizes& vocabulary) {
  constexpr int64_t kRows = 3, kCount = 4;
  Random random(1);
  const Batch batch = random_batch(vocabulary, kRows, 1);
  const auto first = random_tokens(random, kRows, vocabulary.target);
  const auto read = random_tokens(random, kRows * kCount, vocabulary.target);
  const auto last = random_tokens(random, kRows, vocabulary.target);
  const auto logits_after = [&](const auto& read_all) {
    const auto state = model.start(batch.source, kRows);
    model.step(*state, first);
    state->select(std::vector<int32_t>{2, 0, 0});
    read_all(*state);
    state->select(std::vector<int32_t>{1, 0, 2});
    return model.step(*state, last);
  };
  const Tensor at_once = logits_after([&](auto& state) { model.read(state, read, kCount); });
  const Tensor in_two = logits_after([&](auto& state) {
    std::vector<int32_t> begins, ends;
    for (size_t row = 0; row < kRows; ++row) {
      begins.push_back(read[row * kCount]);
      ends.insert(ends.end(), read.begin() + static_cast<std::ptrdiff_t>(row * kCount + 1),
                  read.begin() + static_cast<std::ptrdiff_t>((row + 1) * kCount));
    }
    model.read(state, begins, 1);
    model.read(state, ends, kCount - 1);
  });
  // As a model does that has no way of its own.
  const Tensor by_steps =
      logits_after([&](auto& state) { model.Model::read_part(state, read, kCount); });
  EXPECT_TRUE(std::ranges::equal(at_once.values<float>(), by_steps.values<float>()));
  EXPECT_TRUE(std::ranges::equal(in_two.values<float>(), by_steps.values<float>()));
}

inline void expect_bfloat16_near_float32(const Model& model, const VocabularySizes& vocabulary) {
  const Batch batch = random_batch(vocabulary, 4, 8);
  const Tensor wide = whole_features(model, batch);
  const Tensor narrow = whole_features(model, batch, DType::kBF16).converted(DType::kF32);
  double distance = 0, norm = 0;
  for (size_t i = 0; i < wide.values<float>().size(); ++i) {
    const double value = wide.values<float>()[i];
    distance += std::pow(double{narrow.values<float>()[i]} - value, 2);
    norm += value * value;
  }
  EXPECT_LT(std::sqrt(distance / norm), 0.05);
}

inline void expect_nothing_of_an_empty_batch(Model& model) {
  const Gradients gradients = gradients_of(model, Batch(), {});
  EXPECT_EQ(gradients.sums.smoothed, 0);
  EXPECT_TRUE(std::ranges::all_of(gradients.values, [](float value) { return value == 0; }));
  const auto state = model.start({}, 0);
  EXPECT_EQ(model.step(*state, {}).elements(), 0);
}

// For a model with dropout.
inline void expect_dropout_to_follow_the_seed(const Model& model,
                                              const VocabularySizes& vocabulary) {
  const Batch batch = random_batch(vocabulary, 3, 1);
  const auto features = [&](Tape::Options how) {
    Tape tape(how);
    const Tensor values = model.features(tape, batch).value();
    return std::vector<float>(values.values<float>().begin(), values.values<float>().end());
  };
  EXPECT_EQ(features({.seed = 1}), features({.seed = 1}));
  EXPECT_NE(features({.seed = 1}), features({.seed = 2}));
  EXPECT_EQ(features({.training = false, .seed = 1}), features({.training = false, .seed = 2}));
}

inline void expect_refusal_of_what_is_not_there(const Model& model,
                                                const VocabularySizes& vocabulary) {
  const PackedSequences source = random_batch(vocabulary, 2, 1).source;
  const auto state = model.start(source, 2);
  EXPECT_THROW(state->select(std::vector<int32_t>{2}), ShapeError);
  EXPECT_THROW(state->select(std::vector<int32_t>{-1}), ShapeError);
  EXPECT_THROW(model.step(*state, std::vector<int32_t>{1}), ShapeError);
  const auto unknown = static_cast<int32_t>(vocabulary.target);
  EXPECT_THROW(model.step(*state, std::vector<int32_t>{1, unknown}), ShapeError);
  // A refused step leaves the state as it was.
  const auto same = model.start(source, 2);
  const std::vector<int32_t> previous = {1, 2};
  EXPECT_TRUE(std::ranges::equal(model.step(*state, previous).values<float>(),
                                 model.step(*same, previous).values<float>()));
}

inline void expect_refusal_of_long_sentences(const Model& model,
                                             const VocabularySizes& vocabulary) {
  Batch batch = random_batch(vocabulary, 1, 1);
  const auto too_long = static_cast<size_t>(model.max_target_length()) + 1;
  batch.target_input.append(std::vector<int32_t>(too_long));
  batch.target.append(std::vector<int32_t>(too_long));
  if (model.has_source()) batch.source.append(std::vector<int32_t>(1));
  EXPECT_THROW(whole_features(model, batch), ShapeError);
  if (!model.has_source()) return;
  PackedSequences source;
  source.append(std::vector<int32_t>(static_cast<size_t>(model.max_source_length()) + 1));
  EXPECT_THROW(model.start(source, 1), ShapeError);
  EXPECT_THROW(model.start(batch.source, 3), ShapeError);
}

// Scores, losses and the distributions of all words tell the same of every target.
inline void expect_scores_to_be_the_log_probabilities(const Model& model,
                                                      const VocabularySizes& vocabulary) {
  const Batch batch = random_batch(vocabulary, 4, 7);
  Tensor all = whole_logits(model, batch);
  kernels::log_softmax(all, all);
  const std::vector<int32_t>& targets = batch.target.tokens;
  std::vector<float> expected;
  double sum = 0;
  for (size_t i = 0; i < targets.size(); ++i) {
    expected.push_back(all.values<float>()[i * static_cast<size_t>(all.columns()) +
                                           static_cast<size_t>(targets[i])]);
    sum -= double{expected.back()};
  }
  Tape tape({.record = false, .training = false});
  const Variable features = model.features(tape, batch);
  const OutputProjection output = model.output(tape);
  expect_near<float>(target_log_probabilities(features, output, targets),
                     std::span<const float>(expected), 1e-5, "score");
  const LossSums loss = cross_entropy(tape, features, output, targets, 0).sums;
  EXPECT_NEAR(loss.plain, sum, 1e-5 * sum);
  EXPECT_EQ(loss.tokens, std::ssize(targets));
}

}  // namespace skein
