// Groups over the hosts of a lab: gathering, broadcasting, work that is started, and what befalls
// them.
#include <arpa/inet.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "aggbox/aggbox/descriptor.h"
#include "aggbox/aggbox/error.h"
#include "net/lab_of.h"

namespace aggbox {
namespace {

std::string name_of(const testing::TestParamInfo<Setting>& info) {
  if (std::get<Path>(info.param) == Path::kTcp)
    return std::to_string(std::get<0>(info.param)) + "_tcp";
  return std::to_string(std::get<0>(info.param)) +
         (std::get<1>(info.param) == Hook::kFrames ? "_frames" : "_super_packets");
}

INSTANTIATE_TEST_SUITE_P(Hosts, LabOf,
                         testing::Values(Setting(2, Hook::kFrames, Path::kKernel),
                                         Setting(3, Hook::kSuperPackets, Path::kKernel),
                                         Setting(4, Hook::kFrames, Path::kKernel),
                                         Setting(8, Hook::kSuperPackets, Path::kKernel),
                                         Setting(2, Hook::kFrames, Path::kTcp),
                                         Setting(5, Hook::kFrames, Path::kTcp),
                                         Setting(8, Hook::kFrames, Path::kTcp)),
                         name_of);

INSTANTIATE_TEST_SUITE_P(Hosts, LabOfThree,
                         testing::Values(Setting(3, Hook::kSuperPackets, Path::kKernel),
                                         Setting(3, Hook::kSuperPackets, Path::kTcp)),
                         name_of);

TEST_P(LabOfThree, EveryRankGetsAllParts) {
  EXPECT_EQ(on_hosts(hosts(),
                     [](const GroupOptions& options) {
                       Group group(options);
                       for (const std::size_t part : {0, 1, 1409, 100000}) {
                         std::vector<std::uint8_t> values(part * group.size()), expected;
                         for (std::uint32_t rank = 0; rank < group.size(); ++rank) {
                           const auto theirs = bytes(rank, part);
                           if (rank == group.rank())
                             std::copy(theirs.begin(), theirs.end(),
                                       values.begin() + static_cast<std::ptrdiff_t>(rank * part));
                           expected.insert(expected.end(), theirs.begin(), theirs.end());
                         }
                         group.all_gather(values);
                         require(values == expected, "wrong parts of " + std::to_string(part));
                       }
                     }),
            "");
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_P(LabOfThree, WhatDoesNotFitIsRefusedAndTheGroupGoesOn) {
  EXPECT_EQ(on_hosts(hosts(),
                     [](const GroupOptions& options) {
                       Group group(options);
                       std::vector<float> values(5), residual(4);
                       std::vector<std::int32_t> numbers(2 * group.size() + 1);
                       const auto expect = [](const std::string& part,
                                              const std::function<void()>& call) {
                         const std::string error = error_of(call);
                         require(error.find(part) != std::string::npos, error);
                       };
                       expect("no bit operations",
                              [&] { group.all_reduce(std::span(values), Reduction::kAnd); });
                       expect("integers have no mean",
                              [&] { group.all_reduce(std::span(numbers), Reduction::kMean); });
                       expect("a residual of 4 values is of no use to 5", [&] {
                         group.all_reduce(std::span(values), Reduction::kSum,
                                          {.residual = residual});
                       });
                       expect("root 9 is not one of",
                              [&] { group.reduce(std::span(numbers), 9, Reduction::kSum); });
                       expect("equal parts", [&] { group.reduce_scatter(std::span(numbers)); });
                       group.barrier();
                     }),
            "");
}

TEST_P(LabOfThree, SeveralStartedSumsComeInTheirOrder) {
  EXPECT_EQ(on_hosts(hosts(),
                     [](const GroupOptions& options) {
                       Group group(options);
                       auto first = integers<std::int32_t>(group.rank(), 5000);
                       auto second = integers<std::int64_t>(group.rank(), 3);
                       std::vector<float> third(700, static_cast<float>(group.rank()));
                       Handle one = group.start([&] { group.all_reduce(std::span(first)); });
                       Handle two = group.start([&] { group.all_reduce(std::span(second)); });
                       Handle three = group.start(
                           [&] { group.all_reduce(std::span(third), Reduction::kMean); });
                       group.barrier();
                       three.wait();
                       two.wait();
                       one.wait();
                       require(first == integer_sums<std::int32_t>(group.size(), 5000), "first");
                       require(second == integer_sums<std::int64_t>(group.size(), 3), "second");
                       require(third[699] == static_cast<float>((group.size() - 1) / 2.0), "third");
                     }),
            "");
}

TEST_P(LabOf, EveryRankGetsWhatTheRootBroadcasts) {
  EXPECT_EQ(on_hosts(hosts(),
                     [](const GroupOptions& options) {
                       Group group(options);
                       for (const std::size_t size :
                            {0, 1, 63, 64, 65, 1407, 1408, 1409, 90112, 90113, 500001}) {
                         for (std::uint32_t root = 0; root < group.size(); ++root)
                           check_broadcast(group, root, size);
                       }
                     }),
            "");
}

TEST_P(LabOf, ARankThatDiesIsNamed) {
  const std::string failures = on_hosts(hosts(), [](GroupOptions options) {
    options.timeout = std::chrono::seconds(2);
    Group group(options);
    group.barrier();
    if (group.rank() == group.size() - 1) ::_exit(0);
    std::vector<std::int32_t> values(10000);
    group.all_reduce(std::span(values));
  });
  EXPECT_NE(failures.find("rank 0: rank " + std::to_string(hosts() - 1) + " has left the group"),
            std::string::npos)
      << failures;
}

// Also while it has started something that the others have not come to.
TEST_P(LabOf, ARankThatAbandonsTheGroupIsNamed) {
  const std::string failures = on_hosts(hosts(), [](const GroupOptions& options) {
    Group group(options);
    group.barrier();
    std::vector<std::int32_t> values(10000);
    if (group.rank() == group.size() - 1) {
      Handle started = group.start([&] { group.all_reduce(std::span(values)); });
      group.abandon();
      try {
        started.wait();
      } catch (const PeerError&) {
        return;
      }
      throw Error("the sum has come without the others");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    group.all_reduce(std::span(values));
  });
  const std::string last = std::to_string(hosts() - 1);
  EXPECT_NE(failures.find("rank 0: rank " + last + " has left the group"), std::string::npos)
      << failures;
  EXPECT_EQ(failures.find("rank " + last + ": "), std::string::npos) << failures;
}

TEST_P(LabOf, AnInterfaceOfTooSmallAnMtuIsNamed) {
  ASSERT_EQ(std::system("ip netns exec aggbox-2 ip link set e0 mtu 1400"), 0);
  const std::string failures = on_hosts(hosts(), [](GroupOptions options) {
    options.path = Path::kKernel;
    const Group group(options);
  });
  EXPECT_NE(failures.find("rank 1: interface 'e0' has an MTU of 1400 bytes and AggBox needs 1500; "
                          "`ip link set e0 mtu 1500`"),
            std::string::npos)
      << failures;
  EXPECT_NE(failures.find("rank 0: rank 1: interface 'e0' has an MTU"), std::string::npos)
      << failures;
}

// Connects to the coordinator, says less than a hello, and stays.
Descriptor stranger() {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(7077);
  address.sin_addr.s_addr = htonl(0x0a4d0001);  // 10.77.0.1
  for (int tries = 0; tries < 500; ++tries) {
    Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
      require(::send(socket.get(), "?", 1, MSG_NOSIGNAL) == 1, "the stranger cannot speak");
      return socket;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  throw Error("rank 0 does not listen");
}

TEST_P(LabOf, AStrangerDoesNotKeepTheGroupFromMeeting) {
  EXPECT_EQ(on_hosts(hosts(),
                     [](const GroupOptions& options) {
                       Descriptor other;
                       if (options.rank == 1) other = stranger();
                       Group group(options);
                       check_integers<std::int32_t>(group, 1000);
                     }),
            "");
}

TEST_P(LabOf, WhatTheNetworkDoesNotReplicateGoesToEachRank) {
  for (const std::string port : {"", "2", "1"}) {
    if (!port.empty()) {
      ASSERT_EQ(std::system(("ip netns exec aggbox-switch bridge link set dev p" + port +
                             " mcast_flood off")
                                .c_str()),
                0);
    }
    const bool carried = port.empty() && hosts() > 2 && path() == Path::kKernel;
    const auto go_the_expected_way = [&] {
      return on_hosts(hosts(), [&](const GroupOptions& options) {
        Group group(options);
        check_integers<std::int32_t>(group, 20000);
        check_broadcast(group, 0, 100000);
        require(group.multicast() == carried, "another way than expected");
      });
    };
    // Where a rank is kept from the processor for long, its answer may come too late for the trial.
    std::string failures = go_the_expected_way();
    for (int again = 0; again < 4 && carried && !failures.empty(); ++again)
      failures = go_the_expected_way();
    EXPECT_EQ(failures, "");
  }
}

}  // namespace
}  // namespace aggbox
