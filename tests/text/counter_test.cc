#include "skein/text/counter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "skein/text/line_sample.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Counter, TheMostFrequentComesFirstAndTiesGoByBytes) {
  Counter counter;
  for (const char* word : {"b", "a", "c", "c", "a", "b", "c"}) counter.add(word);
  EXPECT_THAT(counter.sorted(), ElementsAre(Pair("c", 3), Pair("a", 2), Pair("b", 2)));
  EXPECT_THAT(counter.sorted(3), ElementsAre(Pair("c", 3)));
}

TEST(Counter, TheRarestAreForgottenWhenTheTableIsFull) {
  Counter counter(100);
  for (int i = 0; i < 1000; ++i) {
    counter.add("frequent");
    counter.add("rare " + std::to_string(i));
  }
  const auto counts = counter.sorted();
  EXPECT_LE(counts.size(), 101U);
  EXPECT_THAT(counts.front(), Pair("frequent", 1000));
}

TEST(LineSample, ATextThatFitsIsKeptWhole) {
  LineSample sample(100, 1);
  for (const char* line : {"one", "two", "three"}) sample.add(line);
  EXPECT_THAT(sample.take(), ElementsAre("one", "two", "three"));
}

TEST(LineSample, OfALongTextEveryPartIsRepresented) {
  // 1000 of 100,000 lines: about 250 from each quarter, standard deviation 14.
  LineSample sample(6000, 7);
  for (int i = 100000; i < 200000; ++i) sample.add(std::to_string(i));
  const std::vector<std::string> lines = sample.take();
  EXPECT_EQ(lines.size(), 1000U);
  EXPECT_TRUE(std::is_sorted(lines.begin(), lines.end()));
  for (const std::string boundary : {"125000", "150000", "175000"}) {
    const auto below = std::lower_bound(lines.begin(), lines.end(), boundary) - lines.begin();
    const double expected = (std::stod(boundary) - 100000) / 100;
    EXPECT_NEAR(static_cast<double>(below), expected, 70);
  }
}

TEST(Counter, CountsOfPartsAreThoseOfTheWhole) {
  Counter whole, first, second;
  for (const char* word : {"b", "a", "c", "c"}) first.add(word);
  for (const char* word : {"a", "b", "d"}) second.add(word);
  for (const char* word : {"b", "a", "c", "c", "a", "b", "d"}) whole.add(word);
  first.add_packed(second.packed());
  EXPECT_EQ(first.sorted(), whole.sorted());
  EXPECT_FALSE(first.forgot());
}

TEST(LineSample, SamplesOfPartsAreThatOfTheWhole) {
  LineSample whole(2000, 7), first(2000, 7), second(2000, 7);
  for (int i = 0; i < 1000; ++i) {
    const std::string line(static_cast<size_t>(i % 50), 'a');
    whole.add(line + std::to_string(i));
    LineSample& one = i / 100 % 2 == 0 ? first : second;
    one.add(line + std::to_string(i));
    (&one == &first ? second : first).skip(1);
  }
  first.add_packed(second.packed());
  EXPECT_EQ(first.take(), whole.take());
}

TEST(LineSample, TheSeedDecidesTheSample) {
  const auto draw = [](uint64_t seed) {
    LineSample sample(30, seed);
    for (int i = 1000; i < 2000; ++i) sample.add(std::to_string(i));
    return sample.take();
  };
  EXPECT_EQ(draw(3), draw(3));
  EXPECT_NE(draw(3), draw(4));
}

}  // namespace
}  // namespace skein
