#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "comm/thread_network.h"
#include "skein/base/random.h"
#include "skein/comm/single_process.h"

namespace skein {
namespace {

// Element i of rank r, the same for every rank that asks.
float element(int rank, size_t i) {
  return static_cast<float>(Random(static_cast<uint64_t>(rank) + 1, i).normal());
}

template <typename T>
std::vector<T> values_of(int rank, size_t count) {
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<T>(1000 * element(rank, i));
  return values;
}

// In one round and in two, with chunks of no elements too.
constexpr size_t kCounts[] = {0, 1, 5, 1000, 4096, 4097, 50'001};

template <typename T>
void expect_sums_and_maxima(int size) {
  for (const size_t count : kCounts) {
    std::vector<T> sums(count), maxima = values_of<T>(0, count);
    for (size_t i = 0; i < count; ++i) {
      double sum = 0;
      for (int rank = 0; rank < size; ++rank) {
        const T value = static_cast<T>(1000 * element(rank, i));
        sum += static_cast<double>(value);
        maxima[i] = std::max(maxima[i], value);
      }
      sums[i] = static_cast<T>(sum);
    }
    run_ranks(size, [&](Communicator& communicator) {
      std::vector<T> values = values_of<T>(communicator.rank(), count);
      communicator.all_reduce(std::span(values), Reduction::kSum);
      EXPECT_EQ(values, sums) << size << " ranks, " << count << " values";
      values = values_of<T>(communicator.rank(), count);
      communicator.all_reduce(std::span(values), Reduction::kMaximum);
      EXPECT_EQ(values, maxima);
    });
  }
}

TEST(Collectives, EveryRankGetsTheSumInTheOrderOfRanksAndTheLargest) {
  for (const int size : {1, 2, 3, 4, 8}) {
    expect_sums_and_maxima<float>(size);
    expect_sums_and_maxima<double>(size);
    expect_sums_and_maxima<int64_t>(size);
  }
}

TEST(Collectives, ASumIsTheSameToTheBitWhateverTheTiming) {
  std::vector<float> first;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    std::vector<std::vector<float>> results(3);
    run_ranks(
        3,
        [&](Communicator& communicator) {
          auto& mine = results[static_cast<size_t>(communicator.rank())];
          mine = values_of<float>(communicator.rank(), 30'000);
          communicator.all_reduce(std::span(mine), Reduction::kSum);
        },
        seed);
    if (first.empty()) first = results[0];
    for (const auto& result : results) EXPECT_EQ(result, first);
  }
}

TEST(Collectives, AGatherGivesTheRootEveryonesBytes) {
  for (const int size : {1, 2, 3, 4, 8}) {
    for (const int root : {0, size - 1}) {
      run_ranks(size, [&](Communicator& communicator) {
        for (const size_t length : {0, 1, 100'003}) {
          const auto text = [length](int rank) {
            return std::string(length * static_cast<size_t>(rank), static_cast<char>('a' + rank));
          };
          const Gathered gathered = communicator.gather(text(communicator.rank()), root);
          if (communicator.rank() != root) {
            EXPECT_TRUE(gathered.empty());
            continue;
          }
          ASSERT_EQ(gathered.size(), static_cast<size_t>(size));
          for (int rank = 0; rank < size; ++rank) {
            EXPECT_EQ(gathered[static_cast<size_t>(rank)], text(rank));
          }
        }
      });
    }
  }
}

TEST(Collectives, ABroadcastGivesEveryoneTheRootsBytes) {
  for (const int size : {1, 2, 3, 4, 8}) {
    for (const size_t bytes : {0, 1, 3, 1000, 100'003}) {
      for (const int root : {0, size - 1}) {
        run_ranks(size, [&](Communicator& communicator) {
          std::vector<std::byte> content(bytes, std::byte(communicator.rank()));
          if (communicator.rank() == root) {
            for (size_t i = 0; i < bytes; ++i) content[i] = std::byte(i * 31 % 251);
          }
          communicator.broadcast(content, root);
          for (size_t i = 0; i < bytes; ++i) ASSERT_EQ(content[i], std::byte(i * 31 % 251)) << i;
        });
      }
    }
  }
}

TEST(Collectives, AnAllGatherKeepsTheLengthOfEveryRank) {
  for (const int size : {1, 2, 3, 8}) {
    run_ranks(size, [&](Communicator& communicator) {
      const auto text = [](int rank) {
        return std::string(static_cast<size_t>(rank * 7'000), 'x');
      };
      const Gathered all = communicator.all_gather(text(communicator.rank()));
      ASSERT_EQ(all.size(), static_cast<size_t>(size));
      for (int rank = 0; rank < size; ++rank) {
        EXPECT_EQ(all[static_cast<size_t>(rank)], text(rank));
      }
    });
  }
}

TEST(Collectives, ABarrierIsOverWhenAllHaveCome) {
  std::atomic<int> come = 0;
  run_ranks(4, [&](Communicator& communicator) {
    ++come;
    communicator.barrier();
    EXPECT_EQ(come, 4);
  });
}

TEST(Collectives, ManyMayBeOnTheirWayAtOnce) {
  run_ranks(3, [](Communicator& communicator) {
    std::vector<std::vector<float>> buckets;
    std::vector<std::future<void>> sums;
    for (size_t i = 0; i < 40; ++i) {
      buckets.emplace_back(i * 400, static_cast<float>(communicator.rank() + 1));
    }
    for (auto& bucket : buckets) {
      sums.push_back(communicator.start_all_reduce(std::span(bucket), Reduction::kSum));
    }
    // Waited for in another order than that in which they began.
    for (size_t i = sums.size(); i-- > 0;) sums[i].get();
    for (const auto& bucket : buckets) EXPECT_THAT(bucket, testing::Each(6.0f));
  });
}

TEST(Collectives, AProcessThatIsAloneHasThemToo) {
  SingleProcess alone;
  std::vector<float> values = {1, 2};
  alone.all_reduce(std::span(values), Reduction::kSum);
  alone.broadcast(std::as_writable_bytes(std::span(values)));
  alone.barrier();
  EXPECT_THAT(values, testing::ElementsAre(1, 2));
  EXPECT_THAT(alone.all_gather("mine"), testing::ElementsAre("mine"));
}

}  // namespace
}  // namespace skein
