#include "skein/data/ordered_pipeline.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>

#include "skein/base/random.h"

namespace skein {
namespace {

struct Item {
  int number = 0;
  int square = 0;
};

TEST(OrderedPipeline, GivesEveryItemInOrderWhateverTheNumberOfThreads) {
  for (const int workers : {1, 2, 5}) {
    int produced = 0;
    std::vector<int> squares;
    OrderedPipeline<Item>::run(
        workers, {.produce =
                      [&](Item& item) {
                        item.number = produced++;
                        return item.number < 500;
                      },
                  .work =
                      [](Item& item) {
                        // Uneven work makes items overtake each other.
                        Random random(1, static_cast<uint64_t>(item.number));
                        std::this_thread::sleep_for(std::chrono::microseconds(random.below(100)));
                        item.square = item.number * item.number;
                      },
                  .consume = [&](Item& item) { squares.push_back(item.square); }});
    ASSERT_EQ(squares.size(), 500u);
    for (int i = 0; i < 500; ++i) EXPECT_EQ(squares[static_cast<size_t>(i)], i * i);
  }
}

TEST(OrderedPipeline, AnErrorOfAnyStepComesWhenItsItemIsDue) {
  for (const int failing_step : {0, 1, 2}) {
    int produced = 0;
    int consumed = 0;
    const auto fail_at = [&](int step, int number) {
      if (step == failing_step && number == 30) throw std::runtime_error("item 30");
    };
    EXPECT_THROW(
        OrderedPipeline<Item>::run(3, {.produce =
                                           [&](Item& item) {
                                             item.number = produced++;
                                             fail_at(0, item.number);
                                             return true;
                                           },
                                       .work = [&](Item& item) { fail_at(1, item.number); },
                                       .consume =
                                           [&](Item& item) {
                                             fail_at(2, item.number);
                                             ++consumed;
                                           }}),
        std::runtime_error);
    EXPECT_EQ(consumed, 30);
  }
}

TEST(OrderedPipeline, HoldsABoundedNumberOfItems) {
  std::atomic<int> alive = 0;
  std::atomic<int> most = 0;
  int produced = 0;
  OrderedPipeline<Item>::run(2, {.produce =
                                     [&](Item&) {
                                       const int now = ++alive;
                                       if (now > most) most = now;
                                       return produced++ < 200;
                                     },
                                 .work = [](Item&) {},
                                 .consume = [&](Item&) { --alive; }});
  // 2 * 2 + 2 wait, one is being made and one consumed.
  EXPECT_LE(most, 8);
}

}  // namespace
}  // namespace skein
