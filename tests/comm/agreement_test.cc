#include "skein/comm/agreement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/thread_network.h"
#include "skein/base/process.h"

namespace skein {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// What every rank throws, and of what kind.
std::vector<std::string> thrown(int size, const std::function<void(Communicator&)>& body) {
  std::vector<std::string> all(static_cast<size_t>(size));
  run_ranks(size, [&](Communicator& communicator) {
    std::string& mine = all[static_cast<size_t>(communicator.rank())];
    try {
      body(communicator);
    } catch (const EndedByAnotherRank& error) {
      mine = error.usage() ? "quiet usage" : "quiet";
    } catch (const UsageError& error) {
      mine = std::string("usage: ") + error.what();
    } catch (const Error& error) {
      mine = error.what();
    }
  });
  return all;
}

TEST(Agreement, WhatAllRanksPreparedGoesOn) {
  EXPECT_THAT(thrown(3, [](Communicator& c) { together(c, [] {}); }), testing::Each(""));
}

TEST(Agreement, TheFirstRankThatFailsTellsAndTheOthersAreQuiet) {
  const auto all = thrown(4, [](Communicator& c) {
    together(c, [&] {
      if (c.rank() == 1) throw UsageError("no such data");
      if (c.rank() == 3) throw FileError("no such file");
    });
  });
  EXPECT_THAT(
      all, testing::ElementsAre("quiet usage", "usage: rank 1 on " + host_name() + ": no such data",
                                "quiet usage", "quiet usage"));
}

TEST(Agreement, WhatAllSayIsSaidOnceAsOneProcessSaysIt) {
  const auto all = thrown(
      3, [](Communicator& c) { together(c, [] { throw FileError("the folder is missing"); }); });
  EXPECT_THAT(all, testing::ElementsAre("the folder is missing", "quiet", "quiet"));
}

TEST(Agreement, RanksThatDifferAreNamedWithBothValues) {
  const auto all = thrown(3, [](Communicator& c) {
    std::vector<Trait> traits = {{"optimizer.lr", "0.1"}, {"vocabulary", "abcd"}};
    if (c.rank() == 1) traits[0].value = "0.2";
    if (c.rank() == 2) traits = {{"vocabulary", ""}};
    require_alike(c, traits);
  });
  const std::string host = host_name();
  EXPECT_EQ(all[0], "usage: the ranks are not alike: on rank 1 on " + host +
                        ", optimizer.lr is 0.2 instead of 0.1; on rank 2 on " + host +
                        ", optimizer.lr is missing instead of 0.1, vocabulary is  instead of abcd; "
                        "start all of them with the same command, program and data");
  EXPECT_EQ(all[1], "quiet usage");
}

TEST(Agreement, AlikeRanksGoOn) {
  EXPECT_THAT(thrown(3,
                     [](Communicator& c) {
                       require_alike(c, {{"a", "1"}, {"b", ""}});
                     }),
              testing::Each(""));
}

}  // namespace
}  // namespace skein
