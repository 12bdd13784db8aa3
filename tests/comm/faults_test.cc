#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "comm/thread_network.h"

namespace skein {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// Long enough for a machine that has other work to give a thread its turn within an eighth of it.
constexpr double kTimeout = 2;

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

TEST(Faults, ARankThatFallsSilentIsNamedWithTheCollectiveAndItsNumber) {
  ThreadNetwork network(4);
  const auto errors = run_ranks(network, kTimeout, [&](Communicator& communicator) {
    communicator.barrier();  // number 1; 0 is the exchange of host names
    if (communicator.rank() == 2) {
      network.silence(2);
      sleep_for(2.5 * kTimeout);
      throw Error("it never came");
    }
    std::vector<float> values(100'000, 1);
    communicator.all_reduce(std::span(values), Reduction::kSum);
  });
  // The first that finds out tells the others.
  for (const size_t rank : {0, 1, 3}) {
    EXPECT_THAT(errors[rank], AllOf(HasSubstr("all-reduce number 2 got no answer within 2 s: "
                                              "rank 2 on "),
                                    HasSubstr("has not come and gave no sign of life")))
        << rank;
  }
}

TEST(Faults, ARankThatIsSlowIsNamedAsSuch) {
  ThreadNetwork network(3);
  const auto errors = run_ranks(network, kTimeout, [&](Communicator& communicator) {
    if (communicator.rank() == 1) sleep_for(2.5 * kTimeout);
    communicator.barrier();
  });
  for (const size_t rank : {0, 2}) {
    EXPECT_THAT(errors[rank], AllOf(HasSubstr("barrier number 1 got no answer within 2 s: rank 1"),
                                    HasSubstr("has not come and gave signs of life")));
  }
  EXPECT_THAT(errors[1], AnyOf(StartsWith("rank 0 has ended: "), StartsWith("rank 2 has ended: ")));
}

TEST(Faults, ABusyRankIsWaitedForAsLongAsItLives) {
  ThreadNetwork network(3);
  const auto errors = run_ranks(network, kTimeout, [&](Communicator& communicator) {
    if (communicator.rank() == 0) sleep_for(2.5 * kTimeout);
    communicator.barrier(Patience::kWhileAlive);
    communicator.all_gather("x", Patience::kWhileAlive);
  });
  EXPECT_THAT(errors, testing::Each(IsEmpty()));
  EXPECT_EQ(network.finished(), 3);
}

TEST(Faults, ABusyRankThatDiesIsNoticed) {
  ThreadNetwork network(2);
  const auto errors = run_ranks(network, kTimeout, [&](Communicator& communicator) {
    if (communicator.rank() == 1) {
      network.silence(1);
      sleep_for(2.5 * kTimeout);
      throw Error("it never came");
    }
    communicator.barrier(Patience::kWhileAlive);
  });
  EXPECT_THAT(errors[0], AllOf(HasSubstr("barrier number 1"), HasSubstr("rank 1"),
                               HasSubstr("no sign of life")));
}

TEST(Faults, AnErrorOfOneRankEndsTheOthersAtOnce) {
  ThreadNetwork network(4);
  const auto errors = run_ranks(network, 300, [&](Communicator& communicator) {
    communicator.barrier();
    if (communicator.rank() == 3) throw UsageError("the disk is full");
    std::vector<double> values(10);
    try {
      communicator.all_reduce(std::span(values), Reduction::kMaximum);
    } catch (const EndedByAnotherRank& ended) {
      EXPECT_TRUE(ended.usage());
      // So does whatever comes later.
      EXPECT_THROW(communicator.barrier(), EndedByAnotherRank);
      throw;
    }
    ADD_FAILURE() << "a rank was missing";
  });
  EXPECT_EQ(errors[3], "the disk is full");
  for (const size_t rank : {0, 1, 2}) EXPECT_EQ(errors[rank], "rank 3 has ended: the disk is full");
  EXPECT_EQ(network.finished(), 0);
}

TEST(Faults, ALongSentenceIsCutNotLost) {
  ThreadNetwork network(2);
  const auto errors = run_ranks(network, 60, [&](Communicator& communicator) {
    communicator.barrier();
    if (communicator.rank() == 1) throw Error(std::string(2'000, 'x'));
    communicator.barrier();
  });
  EXPECT_THAT(errors[0], AllOf(StartsWith("rank 1 has ended: xxx"), Not(HasSubstr("\n"))));
}

TEST(Faults, WhoCannotStartSaysWhy) {
  EXPECT_THROW(
      MessageCommunicator([]() -> std::unique_ptr<Transport> { throw UsageError("no"); }, 1),
      UsageError);
}

}  // namespace
}  // namespace skein
