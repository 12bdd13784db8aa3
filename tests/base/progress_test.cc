#include "skein/base/progress.h"

#include <gtest/gtest.h>

namespace skein {
namespace {

struct Written {
  std::string text;
  Progress::Sink sink() {
    return [this](std::string_view part) { text += part; };
  }
};

TEST(Progress, ATerminalsLineIsRewrittenAtMostTenTimesASecond) {
  Written written;
  {
    Progress progress({}, ProgressStyle::kTerminal, written.sink());
    progress.update("1 of 3", 100.0);
    progress.update("2 of 3", 100.05);
    progress.update("3 of 3", 100.2);
  }
  EXPECT_EQ(written.text, "\r\x1b[K1 of 3\r\x1b[K3 of 3\n");
}

TEST(Progress, TheLastTextIsNeverLost) {
  Written written;
  Progress progress({}, ProgressStyle::kTerminal, written.sink());
  progress.update("1 of 2", 0);
  progress.update("2 of 2", 0.01);
  progress.finish();
  progress.finish();
  EXPECT_EQ(written.text, "\r\x1b[K1 of 2\r\x1b[K2 of 2\n");
}

TEST(Progress, ElsewhereALineComesNowAndThen) {
  Written written;
  {
    Progress progress({.seconds_between_lines = 10}, ProgressStyle::kLines, written.sink());
    progress.update("a;", 0);
    progress.update("b;", 9);
    progress.update("c;", 10);
    progress.update("d;", 11);
  }
  EXPECT_EQ(written.text, "a;c;d;");
}

TEST(Progress, DurationsHaveTheTwoUnitsThatMatter) {
  EXPECT_EQ(duration_text(0.4), "0 s");
  EXPECT_EQ(duration_text(59.6), "1 min 0 s");
  EXPECT_EQ(duration_text(725), "12 min 5 s");
  EXPECT_EQ(duration_text(11100), "3 h 5 min");
  EXPECT_EQ(duration_text(187200), "2 d 4 h");
}

TEST(Progress, CountsHaveThreeDigits) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(950), "950");
  EXPECT_EQ(count_text(999.6), "1.00k");
  EXPECT_EQ(count_text(12345), "12.3k");
  EXPECT_EQ(count_text(123456), "123k");
  EXPECT_EQ(count_text(999600), "1.00M");
  EXPECT_EQ(count_text(4560000), "4.56M");
}

}  // namespace
}  // namespace skein
