#include "skein/parallel/sharded_optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "comm/thread_network.h"
#include "optim/example_parameters.h"
#include "skein/base/parallel.h"
#include "skein/base/random.h"
#include "skein/kernels/elementwise.h"

namespace skein {
namespace {

using testing::ElementsAre;

constexpr int kSizes[] = {1, 2, 3, 4, 8};

FlatParameters with_elements(std::vector<int64_t> elements) {
  FlatParameters parameters;
  int64_t offset = 0;
  for (const int64_t count : elements) {
    parameters.parts.push_back({std::to_string(offset), offset, {count}});
    offset += count;
  }
  return parameters;
}

TEST(Shards, AreRunsOfAboutEqualSize) {
  EXPECT_THAT(shards_of(with_elements({4, 4, 4, 4}), 2), ElementsAre(0, 2, 4));
  EXPECT_THAT(shards_of(with_elements({10, 1, 1, 1, 1, 1, 1, 1, 1, 2}), 2), ElementsAre(0, 1, 10));
  EXPECT_THAT(shards_of(with_elements({5}), 1), ElementsAre(0, 1));
}

TEST(Shards, AreEmptyWhereThereAreMoreRanksThanParameters) {
  const auto begins = shards_of(with_elements({7, 7}), 4);
  ASSERT_EQ(begins.size(), 5U);
  EXPECT_TRUE(std::is_sorted(begins.begin(), begins.end()));
  EXPECT_EQ(begins.front(), 0U);
  EXPECT_EQ(begins.back(), 2U);
}

// Uneven sizes, matrices and vectors; gradients of update `update`.
FlatParameters example(bool half) {
  std::vector<ExampleParameter> all;
  Random random(1);
  for (const Shape& shape : {Shape{7, 5}, Shape{3}, Shape{11, 2}, Shape{1}, Shape{4, 6}}) {
    ExampleParameter each{"p" + std::to_string(all.size()), shape, {}, {}};
    for (int64_t i = 0; i < shape.elements(); ++i) {
      each.values.push_back(static_cast<float>(random.normal()));
      each.gradient.push_back(0);
    }
    all.push_back(std::move(each));
  }
  FlatParameters parameters = parameters_of(all);
  if (half) {
    parameters.half = Tensor::zeros(parameters.values.shape(), DType::kBF16);
    kernels::convert(parameters.values, parameters.half);
  }
  return parameters;
}

void step(Optimizer& optimizer, FlatParameters& parameters, uint64_t update) {
  Random random(7, update);
  for (float& gradient : parameters.gradients.values<float>()) {
    gradient = static_cast<float>(random.normal());
  }
  optimizer.step({.lr = 0.1, .gradient_scale = 0.5});
}

template <typename T>
std::vector<T> copy(const Tensor& tensor) {
  const auto values = tensor.values<T>();
  return {values.begin(), values.end()};
}

std::map<std::string, std::vector<float>> by_name(const std::vector<NamedTensor>& tensors) {
  std::map<std::string, std::vector<float>> all;
  for (const NamedTensor& each : tensors) all[each.name] = copy<float>(each.values);
  return all;
}

size_t bytes_of(const std::vector<NamedTensor>& tensors) {
  size_t bytes = 0;
  for (const NamedTensor& each : tensors) bytes += each.values.bytes();
  return bytes;
}

ShardedOptimizer::Make maker(const std::string& name) {
  return [name](const FlatParameters& some) {
    return make_optimizer({.name = name, .momentum = 0.5}, some);
  };
}

// All parameters, bf16 copies and state, to the bit.
TEST(ShardedOptimizer, IsTheOptimizerOfOneProcess) {
  for (const std::string& name : optimizer_registry().names()) {
    FlatParameters parameters = example(true);
    const auto optimizer = maker(name)(parameters);
    for (uint64_t update = 0; update < 5; ++update) step(*optimizer, parameters, update);
    for (const int size : kSizes) {
      run_ranks(size, [&](Communicator& communicator) {
        set_threads(1);
        FlatParameters mine = example(true);
        ShardedOptimizer sharded(communicator, maker(name), mine);
        for (uint64_t update = 0; update < 5; ++update) step(sharded, mine, update);
        for (size_t i = 0; i < mine.parts.size(); ++i) {
          EXPECT_EQ(copy<float>(view(mine.values, mine.parts[i])),
                    copy<float>(view(parameters.values, mine.parts[i])))
              << name << " by " << size;
        }
        for (size_t i = 0; i < mine.parts.size(); ++i) {
          EXPECT_EQ(copy<float>(view(mine.half, mine.parts[i]).converted(DType::kF32)),
                    copy<float>(view(parameters.half, mine.parts[i]).converted(DType::kF32)));
        }
        EXPECT_EQ(sharded.state_numbers(), optimizer->state_numbers());
        const auto state = sharded.gather_state();
        if (communicator.rank() == 0) {
          EXPECT_EQ(by_name(state), by_name(optimizer->state_tensors())) << name;
        } else {
          EXPECT_TRUE(state.empty());
        }
      });
    }
  }
}

// Adam's state is 8 bytes an element: an N-th of it, and at most the largest parameter more.
TEST(ShardedOptimizer, HoldsAnNthOfTheState) {
  const auto whole = bytes_of(maker("adam")(example(false))->state_tensors());
  EXPECT_EQ(whole, 8U * (35 + 3 + 22 + 1 + 24));
  for (const int size : kSizes) {
    std::vector<size_t> held(static_cast<size_t>(size));
    run_ranks(size, [&](Communicator& communicator) {
      const ShardedOptimizer sharded(communicator, maker("adam"), example(false));
      held[static_cast<size_t>(communicator.rank())] = bytes_of(sharded.state_tensors());
    });
    size_t all = 0;
    for (const size_t bytes : held) {
      all += bytes;
      EXPECT_LT(bytes, whole / static_cast<size_t>(size) + 8 * 35);
    }
    EXPECT_EQ(all, whole);
  }
}

// As a checkpoint does: saved by some ranks, resumed by others.
TEST(ShardedOptimizer, GoesOnFromTheStateOfOtherShards) {
  for (const std::string& name : optimizer_registry().names()) {
    FlatParameters parameters = example(false);
    const auto optimizer = maker(name)(parameters);
    for (uint64_t update = 0; update < 3; ++update) step(*optimizer, parameters, update);
    const auto state = by_name(optimizer->state_tensors());
    const std::vector<float> values = copy<float>(parameters.values);
    step(*optimizer, parameters, 3);
    for (const int size : kSizes) {
      run_ranks(size, [&](Communicator& communicator) {
        set_threads(1);
        FlatParameters mine = example(false);
        std::copy(values.begin(), values.end(), mine.values.data<float>());
        ShardedOptimizer sharded(communicator, maker(name), mine);
        if (communicator.rank() == 0) {
          sharded.hold_whole_state();
          for (const NamedTensor& each : sharded.state_tensors()) {
            Tensor target = each.values;
            std::copy(state.at(each.name).begin(), state.at(each.name).end(), target.data<float>());
          }
        }
        sharded.scatter_state();
        NamedNumbers numbers = maker(name)(mine)->state_numbers();
        if (numbers.contains("step")) numbers["step"] = 3;
        if (numbers.contains("previous_lr")) numbers["previous_lr"] = 0.1F;
        sharded.restore_numbers(numbers);
        step(sharded, mine, 3);
        for (const auto& part : mine.parts) {
          EXPECT_EQ(copy<float>(view(mine.values, part)),
                    copy<float>(view(parameters.values, part)))
              << name << " by " << size;
        }
      });
    }
  }
}

}  // namespace
}  // namespace skein
