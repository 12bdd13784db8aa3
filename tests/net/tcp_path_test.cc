// The path in user space: taken where the kernel's is not possible, with the same results.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>
#include <stdexcept>

#include "aggbox/aggbox/doctor.h"
#include "aggbox/aggbox/environment.h"
#include "aggbox/aggbox/error.h"
#include "net/hosts.h"

namespace aggbox {
namespace {

constexpr uid_t kNobody = 65534;

void require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error(what);
}

GroupOptions loopback(std::uint32_t rank, std::uint32_t size) {
  return {.interface = "lo", .coordinator = "127.0.0.1:7178", .rank = rank, .size = size};
}

// On loopback, with the rights of nobody; what the ranks write to stderr goes to `output`.
std::string without_rights(std::uint32_t ranks, std::string& output,
                           const std::function<void(const GroupOptions&)>& body) {
  int text[2];
  if (::pipe(text) != 0) return "no pipe";
  const std::string failures = as_ranks(ranks, [&](std::uint32_t rank) {
    require(::geteuid() != 0 || ::setuid(kNobody) == 0, "cannot become nobody");
    ::dup2(text[1], STDERR_FILENO);
    body(loopback(rank, ranks));
  });
  ::close(text[1]);
  char bytes[4096];
  for (ssize_t got; (got = ::read(text[0], bytes, sizeof bytes)) > 0;)
    output.append(bytes, static_cast<std::size_t>(got));
  ::close(text[0]);
  return failures;
}

std::vector<float> floats(std::uint32_t rank, std::size_t size) {
  std::mt19937 random(static_cast<std::uint32_t>(rank * 1000 + size));
  std::normal_distribution<float> normal;
  std::vector<float> values(size);
  for (float& value : values) value = normal(random);
  return values;
}

TEST(TcpPath, WithoutRightsItIsTakenAndSaysWhy) {
  for (std::uint32_t ranks = 2; ranks <= 8; ++ranks) {
    std::string output;
    EXPECT_EQ(without_rights(ranks, output,
                             [](const GroupOptions& options) {
                               Group group(options);
                               require(group.path() == Path::kTcp, "not over TCP");
                               std::vector<std::int64_t> values(100003, group.rank() + 1);
                               group.all_reduce(std::span(values));
                               const auto size = static_cast<std::int64_t>(group.size());
                               for (const std::int64_t value : values)
                                 require(value == size * (size + 1) / 2, "wrong sum");
                               std::vector<std::uint8_t> bytes(600000, group.rank() == 1 ? 7 : 0);
                               group.broadcast(bytes, 1);
                               require(std::count(bytes.begin(), bytes.end(), 7) == 600000,
                                       "wrong broadcast");
                             }),
              "");
    EXPECT_EQ(output.rfind("aggbox: the group goes over TCP: rank 0: ", 0), 0U) << output;
    EXPECT_EQ(std::count(output.begin(), output.end(), '\n'), 1) << output;
  }
}

TEST(TcpPath, WithoutRightsTheKernelPathIsRefused) {
  std::string output;
  const std::string failures = without_rights(2, output, [](GroupOptions options) {
    options.path = Path::kKernel;
    const Group group(options);
  });
  EXPECT_NE(failures.find("rank 0: rank 0: "), std::string::npos) << failures;
  EXPECT_NE(failures.find("rank 1: rank 0: "), std::string::npos) << failures;
  EXPECT_EQ(output, "");
}

TEST(TcpPath, ARankThatDoesNotAnswerIsNamed) {
  std::string output;
  const std::string failures = without_rights(2, output, [](GroupOptions options) {
    // Rank 1 makes no call and stays until rank 0 leaves.
    if (options.rank == 0) options.timeout = std::chrono::milliseconds(300);
    Group group(options);
    if (group.rank() == 0) group.barrier();
  });
  EXPECT_NE(failures.find("rank 0: rank 1 did not answer rank 0 for 0.3 s"), std::string::npos)
      << failures;
}

TEST(TcpPath, OtherCallsOfOtherRanksAreRefused) {
  std::string output;
  const std::string failures = without_rights(2, output, [](GroupOptions options) {
    options.timeout = std::chrono::seconds(1);
    Group group(options);
    std::vector<std::int32_t> values(group.rank() == 0 ? 100 : 10);
    group.all_reduce(std::span(values));
  });
  EXPECT_NE(failures.find("does another collective than rank"), std::string::npos) << failures;
}

TEST(TcpPath, TheEnvironmentChoosesIt) {
  ::setenv("AGGBOX_INTERFACE", "lo", 1);
  ::setenv("AGGBOX_COORDINATOR", "127.0.0.1:7178", 1);
  ::setenv("AGGBOX_RANK", "0", 1);
  ::setenv("AGGBOX_SIZE", "2", 1);
  EXPECT_EQ(options_from_environment().path, Path::kAny);
  ::setenv("AGGBOX_PATH", "tcp", 1);
  EXPECT_EQ(options_from_environment().path, Path::kTcp);
  ::setenv("AGGBOX_PATH", "udp", 1);
  try {
    options_from_environment();
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "AGGBOX_PATH=udp is not a path; expected kernel or tcp");
  }
  ::unsetenv("AGGBOX_PATH");
}

TEST(TcpPath, ItsSumsOfFloatsAreTheKernelsToTheBit) {
  if (const std::string fault = first_fault(); !fault.empty())
    GTEST_SKIP() << "left out: " << fault;
  constexpr std::uint32_t kHosts = 4;
  constexpr std::size_t kSize = 100003;
  Lab::up({.hosts = kHosts, .hook = Hook::kSuperPackets});
  for (const Lanes lanes : {Lanes::kInt32, Lanes::kInt16, Lanes::kInt8}) {
    EXPECT_EQ(on_hosts(kHosts,
                       [&](GroupOptions options) {
                         std::vector<float> results[2];
                         for (const Path path : {Path::kKernel, Path::kTcp}) {
                           options.path = path;
                           Group group(options);
                           require(group.path() == path, "not the path that was asked for");
                           auto values = floats(group.rank(), kSize);
                           values[kSize / 2] = INFINITY;
                           group.all_reduce(std::span(values), Reduction::kMean, {.lanes = lanes});
                           results[path == Path::kTcp] = values;
                         }
                         require(std::ranges::equal(results[0], results[1], {},
                                                    std::bit_cast<std::uint32_t, float>,
                                                    std::bit_cast<std::uint32_t, float>),
                                 "other results");
                       }),
              "");
  }
  Lab::down();
}

}  // namespace
}  // namespace aggbox
