#include "train/parallel_plan.h"

#include <gtest/gtest.h>

#include "models/small_models.h"
#include "skein/autograd/tape.h"
#include "skein/comm/single_process.h"
#include "skein/parallel/batch_share.h"
#include "skein/parallel/gradient_exchange.h"

namespace skein {
namespace {

Outcome data_parallel(Communicator& communicator, const PlanTask& task) {
  PlanRank rank(task);
  GradientExchange exchange(communicator, rank.model().parameters(), 4096);
  return rank.run(task, &exchange, [&](const auto& update) {
    return share_of(update, communicator.rank(), communicator.size());
  });
}

Outcome zero_1(Communicator& communicator, const PlanTask& task) {
  PlanRank rank(task);
  rank.shard_optimizer(communicator);
  GradientExchange exchange(communicator, rank.model().parameters(), 4096);
  return rank.run(task, &exchange, [&](const auto& update) {
    return share_of(update, communicator.rank(), communicator.size());
  });
}

Batch batch_of(int64_t sentences, uint64_t seed) {
  Batch batch = random_batch(PlanRank::kVocabulary, sentences, seed, 9);
  batch.sample_ids.resize(static_cast<size_t>(sentences));
  return batch;
}

// One update by plain descent with rate 1, in which a wrong scale shows.
PlanTask one_step(std::vector<Batch> batches) {
  return {.settings = {{"optimizer.name", "sgd"},
                       {"optimizer.lr", "1"},
                       {"train.clip_norm", "0"},
                       {"criterion.label_smoothing", "0"}},
          .updates = {std::move(batches)}};
}

PlanTask with(PlanTask task, std::vector<std::pair<std::string, std::string>> settings) {
  task.settings.insert(task.settings.end(), settings.begin(), settings.end());
  return task;
}

constexpr int kSizes[] = {1, 2, 3, 4, 8};
constexpr double kBound = 1e-6;

TEST(DataParallel, IsLikeOneProcessInOneStep) {
  for (const int size : kSizes) {
    expect_like_one_process(data_parallel, one_step({batch_of(17, 1)}), size, kBound);
  }
}

TEST(DataParallel, IsLikeOneProcessWithLabelSmoothingClippingAndUntiedEmbeddings) {
  const PlanTask task = one_step({batch_of(17, 1)});
  for (const int size : kSizes) {
    expect_like_one_process(data_parallel, with(task, {{"criterion.label_smoothing", "0.1"}}), size,
                            kBound);
    expect_like_one_process(data_parallel, with(task, {{"train.clip_norm", "0.01"}}), size, kBound);
    expect_like_one_process(data_parallel, with(task, {{"model.share_embeddings", "none"}}), size,
                            kBound);
  }
}

TEST(DataParallel, IsLikeOneProcessWhereRanksHaveNothingToDo) {
  for (const int size : kSizes) {
    expect_like_one_process(data_parallel, one_step({batch_of(2, 1)}), size, kBound);
    expect_like_one_process(data_parallel, one_step({batch_of(1, 1)}), size, kBound);
  }
}

TEST(DataParallel, IsLikeOneProcessWhenBatchesAreAccumulated) {
  for (const int size : kSizes) {
    expect_like_one_process(
        data_parallel, one_step({batch_of(5, 1), batch_of(0, 2), batch_of(7, 3)}), size, kBound);
  }
}

TEST(DataParallel, IsLikeOneProcessAfter20StepsOfAdam) {
  PlanTask task{.settings = {{"optimizer.lr", "0.001"}, {"train.clip_norm", "1"}}};
  for (uint64_t update = 0; update < 20; ++update) {
    task.updates.push_back({batch_of(3 + static_cast<int64_t>(update % 9), 10 + update)});
  }
  // Adam divides by the root of the gradient's square: where that is rounding, so is the step.
  for (const int size : kSizes) expect_like_one_process(data_parallel, task, size, 1e-4);
}

TEST(Zero1, IsLikeOneProcessInOneStep) {
  for (const int size : kSizes) {
    expect_like_one_process(zero_1, one_step({batch_of(17, 1)}), size, kBound);
    expect_like_one_process(
        zero_1, with(one_step({batch_of(2, 1), batch_of(1, 2)}), {{"train.clip_norm", "0.01"}}),
        size, kBound);
  }
}

TEST(Zero1, IsPlainDataParallelToTheBitAfter20Steps) {
  for (const std::string& optimizer : optimizer_registry().names()) {
    PlanTask task{.settings = {{"optimizer.lr", "0.001"},
                               {"optimizer.name", optimizer},
                               {"train.clip_norm", "1"}}};
    for (uint64_t update = 0; update < 20; ++update) {
      task.updates.push_back({batch_of(3 + static_cast<int64_t>(update % 9), 10 + update)});
    }
    for (const int size : {2, 3, 4}) {
      const std::vector<Outcome> expected = run_plan(data_parallel, task, size);
      for (const Outcome& outcome : run_plan(zero_1, task, size)) {
        EXPECT_EQ(outcome.parameters, expected[0].parameters) << optimizer << " by " << size;
        EXPECT_EQ(outcome.gradient_norm, expected[0].gradient_norm);
      }
    }
  }
}

TEST(DataParallel, RepeatsToTheBitWhateverTheTiming) {
  PlanTask task{.settings = {{"optimizer.lr", "0.001"}, {"model.dropout", "0.1"}}};
  for (uint64_t update = 0; update < 5; ++update) task.updates.push_back({batch_of(9, update)});
  const std::vector<float> first = run_plan(data_parallel, task, 3)[0].parameters;
  for (const uint64_t seed : {2, 3, 4}) {
    EXPECT_EQ(run_plan(data_parallel, task, 3, seed)[0].parameters, first);
  }
}

TEST(DataParallel, AnUpdateWithoutTokensChangesNothing) {
  PlanTask task = one_step({});
  const Outcome outcome = run_plan(data_parallel, task, 2)[1];
  EXPECT_EQ(outcome.sums.tokens, 0);
  EXPECT_EQ(outcome.parameters, one_process(task).parameters);
}

TEST(DataParallel, ALossThatIsNotFiniteEndsAllRanks) {
  const PlanTask task = one_step({batch_of(8, 1)});
  ThreadNetwork network(3);
  const auto errors = run_ranks(network, 60, [&](Communicator& communicator) {
    PlanRank rank(task);
    GradientExchange exchange(communicator, rank.model().parameters());
    communicator.barrier();
    if (communicator.rank() == 1) {
      Tensor values = rank.model().parameters().parameters()[0].variable.value();
      values.data<float>()[0] = std::numeric_limits<float>::quiet_NaN();
    }
    rank.run(task, &exchange, [&](const auto& update) {
      return share_of(update, communicator.rank(), communicator.size());
    });
  });
  EXPECT_NE(errors[1].find("is not finite before update 1"), std::string::npos) << errors[1];
  for (const size_t other : {0, 2}) {
    EXPECT_EQ(errors[other].find("rank 1 has ended: parameter"), 0u) << errors[other];
  }
}

// Almost all of it can hide behind the backward pass: what is left is the first layer's.
TEST(DataParallel, GradientsOfEveryModelLeaveBeforeTheBackwardPassIsOver) {
  for (const std::string& name : models().names()) {
    const SmallModel small = small_model(name);
    const auto criterion = make_criterion({.label_smoothing = 0});
    const Batch batch = random_batch(small.vocabulary, 4, 1);
    SingleProcess alone;
    GradientExchange exchange(alone, small.model->parameters(), 1);
    small.model->parameters().clear_gradients();
    size_t operations = 0, first = 0;
    exchange.begin();
    Tape tape({.after_operation = [&] {
      exchange.advance();
      ++operations;
      if (first == 0 && exchange.sent() > 0) first = operations;
    }});
    const Loss loss = (*criterion)(tape, *small.model, batch);
    exchange.start_loss(loss.sums);
    tape.backward(loss.variable);
    exchange.finish();
    EXPECT_EQ(exchange.early(), exchange.buckets()) << name;
    EXPECT_LT(2 * first, operations) << name << ": the first left after operation " << first;
  }
}

}  // namespace
}  // namespace skein
