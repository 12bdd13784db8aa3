#include <gtest/gtest.h>
TEST(Cli, Exists) { SUCCEED(); }
