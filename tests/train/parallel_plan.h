// A plan for several processes, compared with one process on the same updates.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "comm/thread_network.h"
#include "models/random_batch.h"
#include "skein/base/parallel.h"
#include "skein/parallel/sharded_optimizer.h"
#include "skein/train/options.h"
#include "skein/train/update.h"

namespace skein {

// What is trained, and on what.
struct PlanTask {
  std::string model = "transformer_tiny";
  std::vector<std::pair<std::string, std::string>> settings = {};
  std::vector<std::vector<Batch>> updates = {};  // the batches of each, for all ranks
};

// What an update leaves behind.
struct Outcome {
  LossSums sums;
  double gradient_norm = 0;
  std::vector<float> gradients;
  std::vector<float> parameters;
};

// One rank: everything but the plan is as one process has it.
class PlanRank {
 public:
  explicit PlanRank(const PlanTask& task) : options_(task.model) {
    set_threads(1);  // of this rank; a rank has no cores to share with others
    for (const auto& [name, value] :
         {std::pair("model.encoder_layers", "1"), std::pair("model.decoder_layers", "2"),
          std::pair("model.width", "16"), std::pair("model.ffn", "24"),
          std::pair("model.heads", "2"), std::pair("model.dropout", "0")}) {
      options_.settings().set(name, value);
    }
    for (const auto& [name, value] : task.settings) options_.settings().set(name, value);
    model_ = options_.model->build(kVocabulary);
    model_->parameters().allocate({.half = false, .gradients = true});
    model_->parameters().initialize(1);
    criterion_ = make_criterion(options_.criterion);
    optimizer_ = make_optimizer(options_.optimizer, flat_parameters(model_->parameters()));
  }

  static constexpr VocabularySizes kVocabulary{.source = 23, .target = 23, .shared = true};

  // As `parallel.zero 1` has it.
  void shard_optimizer(Communicator& communicator) {
    const auto make = [this](const FlatParameters& some) {
      return make_optimizer(options_.optimizer, some);
    };
    optimizer_ = std::make_unique<ShardedOptimizer>(communicator, make,
                                                    flat_parameters(model_->parameters()));
  }

  Model& model() { return *model_; }
  Optimizer& optimizer() { return *optimizer_; }

  // `share`: this rank's batches of the last update.
  Outcome run(const PlanTask& task, GradientExchange* exchange,
              const std::function<std::vector<Batch>(const std::vector<Batch>&)>& share) {
    Updater updater(
        *model_, *criterion_, *optimizer_,
        {.activations = DType::kF32, .clip_norm = options_.loop.clip_norm, .exchange = exchange});
    Outcome outcome;
    int64_t number = 0;
    for (const std::vector<Batch>& update : task.updates) {
      const UpdateResult result =
          updater.run(share(update), ++number, options_.optimizer.lr.front());
      outcome.sums = result.sums;
      outcome.gradient_norm = result.gradient_norm;
    }
    outcome.gradients = copy(model_->parameters().gradients());
    outcome.parameters = copy(model_->parameters().values());
    return outcome;
  }

 private:
  static std::vector<float> copy(const Tensor& tensor) {
    const auto values = tensor.values<float>();
    return {values.begin(), values.end()};
  }

  TrainOptions options_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Criterion> criterion_;
  std::unique_ptr<Optimizer> optimizer_;
};

inline Outcome one_process(const PlanTask& task) {
  return PlanRank(task).run(task, nullptr, [](const auto& update) { return update; });
}

// How a rank of the plan runs the task.
using Plan = std::function<Outcome(Communicator&, const PlanTask&)>;

inline std::vector<Outcome> run_plan(const Plan& plan, const PlanTask& task, int size,
                                     uint64_t seed = 1) {
  std::vector<Outcome> outcomes(static_cast<size_t>(size));
  run_ranks(
      size,
      [&](Communicator& communicator) {
        outcomes[static_cast<size_t>(communicator.rank())] = plan(communicator, task);
      },
      seed);
  return outcomes;
}

// |a - b| / |b|
inline double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double difference = 0;
  double norm = 0;
  for (size_t i = 0; i < b.size(); ++i) {
    difference += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    norm += std::pow(static_cast<double>(b[i]), 2);
  }
  return a.size() != b.size() ? 1 : std::sqrt(difference / norm);
}

// Every rank against one process; `bound`: relative. All ranks are the same to the bit.
inline void expect_like_one_process(const Plan& plan, const PlanTask& task, int size,
                                    double bound) {
  const Outcome expected = one_process(task);
  const std::vector<Outcome> outcomes = run_plan(plan, task, size);
  for (const Outcome& outcome : outcomes) {
    EXPECT_EQ(outcome.sums.tokens, expected.sums.tokens);
    EXPECT_NEAR(outcome.sums.smoothed, expected.sums.smoothed, bound * expected.sums.smoothed);
    EXPECT_NEAR(outcome.sums.plain, expected.sums.plain, bound * expected.sums.plain);
    EXPECT_NEAR(outcome.gradient_norm, expected.gradient_norm, bound * expected.gradient_norm);
    EXPECT_LT(distance(outcome.gradients, expected.gradients), bound);
    EXPECT_LT(distance(outcome.parameters, expected.parameters), bound);
    EXPECT_EQ(outcome.gradients, outcomes[0].gradients);
    EXPECT_EQ(outcome.parameters, outcomes[0].parameters);
  }
}

}  // namespace skein
