// `aggbox status`: what it says of jobs that run, have ended and have never been.
#include "aggbox/aggbox/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "aggbox/aggbox/doctor.h"
#include "aggbox/aggbox/error.h"
#include "aggbox/aggbox/latencies.h"
#include "net/command.h"
#include "net/hosts.h"

namespace aggbox {
namespace {

using std::chrono::microseconds;
using testing::ContainsRegex;
using testing::HasSubstr;

TEST(Latencies, PercentilesAreWithinAFifth) {
  std::array<std::uint64_t, AGGBOX_LATENCIES> counts = {};
  EXPECT_EQ(latency_percentile(counts, 0.5), 0);
  for (int i = 1; i <= 100; ++i) count_latency(counts, microseconds(10 * i));
  const struct { double share, exact; } kCases[] = {{0.5, 500}, {0.9, 900}, {0.99, 990}};
  for (const auto& [share, exact] : kCases) {
    EXPECT_GE(latency_percentile(counts, share), exact);
    EXPECT_LE(latency_percentile(counts, share), 1.2 * exact);
  }
  count_latency(counts, std::chrono::hours(1));
  EXPECT_GE(latency_percentile(counts, 1), 1e6);
}

class StatusIn : public testing::TestWithParam<Hook> {};
INSTANTIATE_TEST_SUITE_P(Lab, StatusIn, testing::Values(Hook::kFrames, Hook::kSuperPackets),
                         [](const auto& info) {
                           return info.param == Hook::kFrames ? "frames" : "super_packets";
                         });

TEST_P(StatusIn, TellsWhatAJobDoes) {
  if (const std::string fault = first_fault(); !fault.empty())
    GTEST_SKIP() << "left out: " << fault;
  Lab::up({.hosts = 2, .hook = GetParam()});
  const SharedArray<std::atomic<int>> waiting(1), end(1);
  auto failures = std::async(std::launch::async, [&] {
    return on_hosts(2, [&](const GroupOptions& options) {
      Group group(options);
      std::vector<std::int32_t> values(2 * 352);  // a chunk for each owner
      for (int i = 0; i < 100; ++i) group.all_reduce(std::span(values));
      for (++waiting.values()[0]; end.values()[0] == 0;)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  });
  while (waiting.values()[0] < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const std::string command = std::string(AGGBOX_COMMAND) + " lab run --host 2 -- " AGGBOX_COMMAND;
  const std::string text = run_command(command + " status").output;
  const bool frames = GetParam() == Hook::kFrames;
  EXPECT_THAT(text, HasSubstr(frames ? "e0: frames; jobs: 1" : "e0: super-packets; jobs: 1"));
  EXPECT_THAT(text, HasSubstr("rank 1 of 2, window "));
  EXPECT_THAT(text, ContainsRegex("collectives 100, p50 [0-9]+ us"));
  const std::string json = run_command(command + " status --json").output;
  EXPECT_THAT(json, HasSubstr("\"rank\": 1, \"ranks\": 2, "));
  EXPECT_THAT(json, HasSubstr("\"completed\": 100, "));
  EXPECT_THAT(json, HasSubstr("\"forged\": 0}"));
  end.values()[0] = 1;
  EXPECT_EQ(failures.get(), "");
  EXPECT_THAT(run_command(command + " status").output, HasSubstr("; jobs: 0\n"));
  run_command(command + " down --interface e0");
  EXPECT_EQ(run_command(command + " status").output, "AggBox is not up on any interface here\n");
  Lab::down();
}

TEST(Status, WithoutRightsItIsNotTakenForDown) {
  if (const std::string fault = first_fault(); !fault.empty())
    GTEST_SKIP() << "left out: " << fault;
  Lab::up({.hosts = 2});
  const std::string failures = on_hosts(1, [](const GroupOptions&) {
    constexpr uid_t kNobody = 65534;
    if (::setuid(kNobody) != 0) throw Error("cannot become nobody");
    status_here();
  });
  EXPECT_THAT(failures, HasSubstr("cannot be read: Permission denied; it takes root"));
  Lab::down();
}

}  // namespace
}  // namespace aggbox
