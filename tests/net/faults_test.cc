// Collectives on wires that lose, double, overtake and change packets.
#include "aggbox/aggbox/faults.h"

#include <algorithm>
#include <memory>

#include "net/lab_of.h"

namespace aggbox {
namespace {

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
