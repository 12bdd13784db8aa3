// Collectives over the hosts of a lab, against exact arithmetic.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <tuple>

#include "aggbox/aggbox/descriptor.h"
#include "aggbox/aggbox/doctor.h"
#include "aggbox/aggbox/error.h"
#include "aggbox/aggbox/faults.h"
#include "net/hosts.h"

namespace aggbox {
namespace {

// Around the ends of a block, a chunk, the ranks' shares and a window; 4-byte values.
constexpr std::size_t kSizes[] = {0,   1,    2,    15,   16,    17,    87,    88,
                                  89,  117,  176,  177,  351,   352,   353,   704,
                                  705, 1056, 1408, 1409, 45056, 45057, 100003};

template <typename T>
std::vector<T> integers(std::uint32_t rank, std::size_t size) {
  std::mt19937_64 random(rank * 1000 + size);
  std::vector<T> values(size);
  for (T& value : values) value = static_cast<T>(random());  // sums wrap
  return values;
}

template <typename T>
std::vector<T> integer_sums(std::uint32_t ranks, std::size_t size) {
  std::vector<std::make_unsigned_t<T>> sums(size);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const auto values = integers<T>(rank, size);
    for (std::size_t i = 0; i < size; ++i)
      sums[i] += static_cast<std::make_unsigned_t<T>>(values[i]);
  }
  return {sums.begin(), sums.end()};
}

// Values over 30 powers of two, in whole multiples of 2^-20: their sums are exact in double
// precision.
std::vector<float> floats(std::uint32_t rank, std::size_t size) {
  std::mt19937 random(static_cast<std::uint32_t>(rank * 1000 + size));
  std::vector<float> values(size);
  for (float& value : values) {
    value = std::ldexp(static_cast<float>(static_cast<int>(random() % 65536) - 32768),
                       static_cast<int>(random() % 30) - 20);
  }
  return values;
}

std::vector<std::uint8_t> bytes(std::uint32_t root, std::size_t size) {
  std::mt19937 random(static_cast<std::uint32_t>(root * 1000 + size));
  std::vector<std::uint8_t> values(size);
  for (auto& value : values) value = static_cast<std::uint8_t>(random());
  return values;
}

void require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error(what);
}

using Setting = std::tuple<std::uint32_t, Hook, Path>;

class LabOf : public testing::TestWithParam<Setting> {
 protected:
  void SetUp() override {
    if (const std::string fault = first_fault(); !fault.empty())
      GTEST_SKIP() << "left out: " << fault;
    Lab::up({.hosts = hosts(), .hook = std::get<Hook>(GetParam())});
  }
  void TearDown() override { Lab::down(); }
  static std::uint32_t hosts() { return std::get<std::uint32_t>(GetParam()); }
  static Path path() { return std::get<Path>(GetParam()); }
  static std::string on_hosts(std::uint32_t hosts,
                              const std::function<void(const GroupOptions&)>& body) {
    return aggbox::on_hosts(hosts, [&](GroupOptions options) {
      options.path = path();
      body(options);
    });
  }
};

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

// What does not depend on their number.
class LabOfThree : public LabOf {};
INSTANTIATE_TEST_SUITE_P(Hosts, LabOfThree,
                         testing::Values(Setting(3, Hook::kSuperPackets, Path::kKernel),
                                         Setting(3, Hook::kSuperPackets, Path::kTcp)),
                         name_of);

template <typename T>
void check_integers(Group& group, std::size_t size) {
  auto values = integers<T>(group.rank(), size);
  group.all_reduce(std::span(values));
  require(values == integer_sums<T>(group.size(), size),
          "wrong sum of " + std::to_string(size) + " integers");
}

TEST_P(LabOf, IntegersAreAddedExactlyAndWrap) {
  EXPECT_EQ(on_hosts(hosts(),
                     [](const GroupOptions& options) {
                       Group group(options);
                       for (const std::size_t size : kSizes)
                         check_integers<std::int32_t>(group, size);
                       for (const std::size_t size : kSizes)
                         check_integers<std::int64_t>(group, size);
                     }),
            "");
}

// Also the smallest window, in which every slot is used again and again.
TEST_P(LabOf, FloatsAreAddedWithinTheBoundAndAlikeOnAllRanks) {
  for (const std::uint32_t window : {2U, 64U}) {
    for (const std::size_t size :
         {std::size_t{1}, std::size_t{88}, std::size_t{353}, std::size_t{45057}}) {
      const SharedArray<float> results(size * hosts());
      ASSERT_EQ(on_hosts(hosts(),
                         [&](GroupOptions options) {
                           options.window = window;
                           Group group(options);
                           auto values = floats(group.rank(), size);
                           group.all_reduce(std::span(values));
                           std::copy(values.begin(), values.end(),
                                     results.values().begin() +
                                         static_cast<std::ptrdiff_t>(group.rank() * size));
                         }),
                "");
      const double ranks = hosts();
      const double bound = ranks * ranks * std::ldexp(32768.0 * 512, -30);
      std::vector<std::vector<float>> inputs;
      for (std::uint32_t rank = 0; rank < hosts(); ++rank) inputs.push_back(floats(rank, size));
      for (std::size_t i = 0; i < size; ++i) {
        double exact = 0;
        for (const auto& input : inputs) exact += input[i];
        ASSERT_NEAR(results.values()[i], exact, bound + std::abs(exact) * 0x1p-24)
            << i << " of " << size;
      }
      for (std::uint32_t rank = 1; rank < hosts(); ++rank) {
        EXPECT_EQ(
            std::memcmp(&results.values()[0], &results.values()[rank * size], size * sizeof(float)),
            0)
            << rank;
      }
    }
  }
}

TEST_P(LabOfThree, NotFiniteValuesFollowTheStandardAndStayInTheirPlace) {
  EXPECT_EQ(on_hosts(hosts(),
                     [](const GroupOptions& options) {
                       Group group(options);
                       constexpr float kInfinity = std::numeric_limits<float>::infinity();
                       std::vector<float> values(1000, 1);
                       if (group.rank() == 0) values[5] = kInfinity;
                       if (group.rank() == 1) values[400] = -kInfinity;
                       if (group.rank() == 0) values[401] = std::numeric_limits<float>::quiet_NaN();
                       values[402] = group.rank() == 0 ? kInfinity : -kInfinity;
                       group.all_reduce(std::span(values));
                       require(values[5] == kInfinity && values[400] == -kInfinity,
                               "infinities are gone");
                       require(std::isnan(values[401]) && std::isnan(values[402]), "NaN is gone");
                       require(std::count(values.begin(), values.end(),
                                          static_cast<float>(group.size())) == 996,
                               "the others are spoilt");
                     }),
            "");
}

template <typename T>
T combined(Reduction reduction, T a, T b) {
  using Unsigned = std::make_unsigned_t<T>;
  switch (reduction) {
    case Reduction::kMin:
      return std::min(a, b);
    case Reduction::kMax:
      return std::max(a, b);
    case Reduction::kAnd:
      return a & b;
    case Reduction::kOr:
      return a | b;
    case Reduction::kXor:
      return a ^ b;
    default:
      return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  }
}

template <typename T>
void check_reductions(Group& group, std::size_t size) {
  for (const auto reduction : {Reduction::kSum, Reduction::kMin, Reduction::kMax, Reduction::kAnd,
                               Reduction::kOr, Reduction::kXor}) {
    auto expected = integers<T>(0, size);
    for (std::uint32_t rank = 1; rank < group.size(); ++rank) {
      const auto theirs = integers<T>(rank, size);
      for (std::size_t i = 0; i < size; ++i)
        expected[i] = combined(reduction, expected[i], theirs[i]);
    }
    auto values = integers<T>(group.rank(), size);
    group.all_reduce(std::span(values), reduction);
    require(values == expected, "reduction " + std::to_string(static_cast<int>(reduction)) +
                                    " of " + std::to_string(size) + " is wrong");
  }
}

TEST_P(LabOfThree, EveryReductionOfIntegersIsExact) {
  EXPECT_EQ(on_hosts(hosts(),
                     [](const GroupOptions& options) {
                       Group group(options);
                       for (const std::size_t size : {1, 353, 3000}) {
                         check_reductions<std::int32_t>(group, size);
                         check_reductions<std::int64_t>(group, size);
                         check_reductions<std::uint32_t>(group, size);
                         check_reductions<std::uint64_t>(group, size);
                       }
                     }),
            "");
}

TEST_P(LabOfThree, MinimaAndMaximaOfFloatsAreExact) {
  EXPECT_EQ(on_hosts(hosts(),
                     [](const GroupOptions& options) {
                       Group group(options);
                       constexpr float kInfinity = std::numeric_limits<float>::infinity();
                       for (const auto reduction : {Reduction::kMin, Reduction::kMax}) {
                         auto values = floats(group.rank(), 1000);
                         auto expected = floats(0, 1000);
                         for (std::uint32_t rank = 1; rank < group.size(); ++rank) {
                           const auto theirs = floats(rank, 1000);
                           for (std::size_t i = 0; i < expected.size(); ++i) {
                             expected[i] = reduction == Reduction::kMin
                                               ? std::min(expected[i], theirs[i])
                                               : std::max(expected[i], theirs[i]);
                           }
                         }
                         const bool first = group.rank() == 0;
                         values[0] = first ? 0.0F : -0.0F;
                         values[1] = first ? -kInfinity : kInfinity;
                         values[2] = first ? -std::numeric_limits<float>::quiet_NaN() : 1;
                         group.all_reduce(std::span(values), reduction);
                         const bool least = reduction == Reduction::kMin;
                         require(values[0] == 0 && std::signbit(values[0]) == least, "zeros");
                         require(values[1] == (least ? -kInfinity : kInfinity), "infinities");
                         require(least ? values[2] == 1 : std::isnan(values[2]), "NaN");
                         require(std::equal(values.begin() + 3, values.end(), expected.begin() + 3),
                                 "a value");
                       }
                     }),
            "");
}

TEST_P(LabOfThree, NarrowLanesStayWithinTheirBoundAndAlikeOnAllRanks) {
  constexpr std::size_t kSize = 5000;
  for (const auto& [lanes, bits] : {std::pair(Lanes::kInt16, 14), std::pair(Lanes::kInt8, 5)}) {
    const SharedArray<float> results(kSize * hosts());
    ASSERT_EQ(on_hosts(hosts(),
                       [&, which = lanes](const GroupOptions& options) {
                         Group group(options);
                         auto values = floats(group.rank(), kSize);
                         group.all_reduce(std::span(values), Reduction::kSum, {.lanes = which});
                         std::copy(values.begin(), values.end(),
                                   results.values().begin() +
                                       static_cast<std::ptrdiff_t>(group.rank() * kSize));
                       }),
              "");
    const double ranks = hosts();
    const double bound = ranks * ranks * std::ldexp(32768.0 * 512, -bits);
    double largest = 0;
    for (std::size_t i = 0; i < kSize; ++i) {
      double exact = 0;
      for (std::uint32_t rank = 0; rank < hosts(); ++rank) {
        exact += floats(rank, kSize)[i];
        ASSERT_EQ(results.values()[rank * kSize + i], results.values()[i]) << rank;
      }
      largest = std::max(largest, std::abs(results.values()[i] - exact));
    }
    EXPECT_LE(largest, bound);
    EXPECT_GT(largest, 0) << "so few bits lose something";
  }
}

// What a rank loses in one step it adds in the next: the sum over steps stays near the exact one.
TEST_P(LabOfThree, WithAResidualLossesDoNotAddUp) {
  EXPECT_EQ(on_hosts(hosts(),
                     [](const GroupOptions& options) {
                       Group group(options);
                       constexpr int kSteps = 40;
                       const auto step = floats(group.rank(), 1000);
                       std::vector<float> residual(step.size());
                       std::vector<double> sums(step.size()), exact(step.size());
                       for (std::uint32_t rank = 0; rank < group.size(); ++rank) {
                         const auto theirs = floats(rank, step.size());
                         for (std::size_t i = 0; i < step.size(); ++i)
                           exact[i] += kSteps * theirs[i];
                       }
                       for (int i = 0; i < kSteps; ++i) {
                         auto values = step;
                         group.all_reduce(std::span(values), Reduction::kSum,
                                          {.lanes = Lanes::kInt8, .residual = residual});
                         for (std::size_t j = 0; j < step.size(); ++j) sums[j] += values[j];
                       }
                       // One step's loss, once: the residuals that are left.
                       const double bound =
                           group.size() * group.size() * std::ldexp(32768.0 * 512, -4);
                       for (std::size_t j = 0; j < step.size(); ++j)
                         require(std::abs(sums[j] - exact[j]) <= bound, "losses add up");
                     }),
            "");
}

TEST_P(LabOfThree, Bfloat16IsAddedAndRoundedOnce) {
  EXPECT_EQ(on_hosts(hosts(),
                     [](const GroupOptions& options) {
                       Group group(options);
                       // 1.5 is 0x3fc0; whole and half numbers up to 256 are exact.
                       std::vector<Bfloat16> values(1000, {0x3fc0});
                       group.all_reduce(std::span(values));
                       for (const Bfloat16 value : values) {
                         const auto sum = std::bit_cast<float>(std::uint32_t{value.bits} << 16);
                         require(sum == 1.5F * static_cast<float>(group.size()), "a wrong sum");
                       }
                     }),
            "");
}

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

void check_broadcast(Group& group, std::uint32_t root, std::size_t size) {
  std::vector<std::uint8_t> values(size);
  if (group.rank() == root) values = bytes(root, size);
  group.broadcast(values, root);
  require(values == bytes(root, size), "wrong broadcast of " + std::to_string(size) + " bytes");
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

// Loss, doubles, overtaking and changed bits at once, on every wire; seeds give new faults each:
// 200 runs.
class Faulty : public testing::TestWithParam<std::tuple<Hook, std::uint64_t>> {};
constexpr std::uint64_t kSeedsOfATest = 25;
INSTANTIATE_TEST_SUITE_P(At, Faulty,
                         testing::Combine(testing::Values(Hook::kFrames, Hook::kSuperPackets),
                                          testing::Range(std::uint64_t{1}, 4 * kSeedsOfATest,
                                                         kSeedsOfATest)),
                         [](const auto& info) {
                           const bool frames = std::get<0>(info.param) == Hook::kFrames;
                           return (frames ? "frames_from_" : "super_packets_from_") +
                                  std::to_string(std::get<1>(info.param));
                         });

TEST_P(Faulty, CollectivesAreRightWhateverTheWireDoes) {
  if (const std::string fault = first_fault(); !fault.empty())
    GTEST_SKIP() << "left out: " << fault;
  const auto& [hook, first_seed] = GetParam();
  const auto hosts = static_cast<std::uint32_t>(2 + first_seed / kSeedsOfATest);
  // Of frames on the wire, and of super-packets.
  Lab::up({.hosts = hosts, .super_packets = hook == Hook::kSuperPackets, .hook = hook});
  for (std::uint64_t seed = first_seed; seed < first_seed + kSeedsOfATest; ++seed) {
    std::mt19937_64 random(seed);
    const auto share = [&](double most) {
      return most * static_cast<double>(random() % 1000) / 1000;
    };
    std::vector<std::unique_ptr<Faults>> faults;
    for (std::uint32_t host = 1; host <= hosts; ++host) {
      faults.push_back(std::make_unique<Faults>(FaultOptions{.host = host,
                                                             .seed = seed * 64 + host,
                                                             .lost = share(0.1),
                                                             .doubled = share(0.1),
                                                             .delayed = share(0.1),
                                                             .corrupted = share(0.05)}));
    }
    const std::uint32_t window = 2U << random() % 7;
    EXPECT_EQ(
        on_hosts(hosts,
                 [&](GroupOptions options) {
                   options.window = window;
                   Group group(options);
                   for (const std::size_t size : {1, 353, 4000, 20000})
                     check_integers<std::int32_t>(group, size);
                   std::vector<float> ones(5000, 1);
                   group.all_reduce(std::span(ones));
                   require(std::count(ones.begin(), ones.end(), static_cast<float>(hosts)) == 5000,
                           "floats are wrong");
                   for (const std::size_t size : {1, 1409, 50000}) check_broadcast(group, 1, size);
                 }),
        "")
        << "seed " << seed << ", window " << window;
    std::uint64_t met = 0;
    for (const auto& fault : faults) met += fault->count();
    EXPECT_GT(met, 0U) << "seed " << seed;
  }
  Lab::down();
}

}  // namespace
}  // namespace aggbox
