#include "skein/parallel/gradient_exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/thread_network.h"
#include "error_of.h"
#include "skein/autograd/functions.h"

namespace skein {
namespace {

// A chain of linear maps of width 4, the first parameter used a second time at the end, and one
// that nothing uses. Everything is a small whole number, so that every sum is exact.
struct Chain {
  explicit Chain(int64_t layers) {
    const Initializer whole = [](std::span<float> values, Random& random) {
      for (float& value : values) value = static_cast<float>(random.below(3)) - 1;
    };
    for (int64_t i = 0; i < layers; ++i) {
      weights.push_back(store.add("w" + std::to_string(i), {4, 4}, whole));
    }
    store.add("unused", {3}, whole);
    store.allocate({.half = false, .gradients = true});
    store.initialize(1);
  }

  // Of rows that belong to `rank`; none for rank 1 of several.
  void backward(int rank, GradientExchange* exchange) {
    Tape tape({.after_operation = [exchange] {
      if (exchange != nullptr) exchange->advance();
    }});
    const int64_t rows = rank == 1 ? 0 : rank + 1;
    Random random(static_cast<uint64_t>(rank) + 5);
    std::vector<float> values(static_cast<size_t>(rows * 4));
    for (float& value : values) value = static_cast<float>(random.below(5)) - 2;
    Variable x(Tensor::from<float>(values, {rows, 4}), true);
    for (const Variable& weight : weights) x = linear(tape, x, weight, Variable());
    x = linear(tape, x, weights[0], Variable());
    tape.backward(x, Tensor::from<float>(std::vector<float>(values.size(), 1), {rows, 4}));
  }

  ParameterStore store;
  std::vector<Variable> weights;
};

constexpr int64_t kLayers = 5;

std::vector<float> sums_of_one_process(int ranks) {
  Chain chain(kLayers);
  for (int rank = 0; rank < ranks; ++rank) chain.backward(rank, nullptr);
  chain.store.complete_gradients();
  const auto values = chain.store.gradients().values<float>();
  return {values.begin(), values.end()};
}

TEST(GradientExchanges, GiveEveryRankTheSumsOfOneProcessToTheBit) {
  for (const int size : {1, 2, 3, 4, 8}) {
    for (const int64_t bucket_bytes : {1, 100, 1 << 20}) {
      const std::vector<float> expected = sums_of_one_process(size);
      run_ranks(size, [&](Communicator& communicator) {
        Chain chain(kLayers);
        GradientExchange exchange(communicator, chain.store, bucket_bytes);
        for (int update = 0; update < 2; ++update) {
          chain.store.clear_gradients();
          exchange.begin();
          exchange.start_loss({.smoothed = 0.5, .plain = 2, .tokens = communicator.rank()});
          chain.backward(communicator.rank(), &exchange);
          const LossSums sums = exchange.finish();
          EXPECT_THAT(chain.store.gradients().values<float>(), testing::ElementsAreArray(expected));
          EXPECT_EQ(sums.smoothed, 0.5 * size);
          EXPECT_EQ(sums.plain, 2.0 * size);
          EXPECT_EQ(sums.tokens, size * (size - 1) / 2);
        }
      });
    }
  }
}

// From the last layer to the second: the first is used once more, by the operation that comes last
// in the forward pass and first in the backward pass, and once by the one that comes last there.
TEST(GradientExchanges, SendWhatIsFinalWhileTheBackwardPassGoesOn) {
  run_ranks(2, [](Communicator& communicator) {
    if (communicator.rank() == 1) {  // has no batch, and sends all at the end
      Chain chain(kLayers);
      GradientExchange exchange(communicator, chain.store, 1);
      chain.store.clear_gradients();
      exchange.begin();
      exchange.start_loss({});
      exchange.finish();
      EXPECT_EQ(exchange.early(), 0u);
      return;
    }
    Chain chain(kLayers);
    GradientExchange exchange(communicator, chain.store, 1);
    ASSERT_EQ(exchange.buckets(), static_cast<size_t>(kLayers + 1));
    chain.store.clear_gradients();
    exchange.begin();
    exchange.start_loss({});
    chain.backward(0, &exchange);
    exchange.finish();
    EXPECT_EQ(exchange.early(), exchange.buckets());
  });
}

TEST(GradientExchanges, DoNotLetAGradientChangeThatHasLeft) {
  run_ranks(1, [](Communicator& communicator) {
    Chain chain(1);
    GradientExchange exchange(communicator, chain.store);
    chain.store.clear_gradients();
    exchange.begin();
    exchange.start_loss({});
    exchange.finish();
    EXPECT_EQ(error_of([&] { chain.backward(0, nullptr); }),
              "a gradient came to a parameter whose gradient had left for the other processes");
    chain.store.clear_gradients();
    chain.backward(0, nullptr);
  });
}

}  // namespace
}  // namespace skein
