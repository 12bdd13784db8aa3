// Reductions over the hosts of a lab, against exact arithmetic.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "net/lab_of.h"

namespace aggbox {
namespace {

// Around the ends of a block, a chunk, the ranks' shares and a window; 4-byte values.
constexpr std::size_t kSizes[] = {0,   1,    2,    15,   16,    17,    87,    88,
                                  89,  117,  176,  177,  351,   352,   353,   704,
                                  705, 1056, 1408, 1409, 45056, 45057, 100003};

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

}  // namespace
}  // namespace aggbox
