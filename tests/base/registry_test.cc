#include "skein/base/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skein {
namespace {

using Factory = int (*)();

TEST(Registry, ReturnsWhatWasAddedUnderTheName) {
  Registry<Factory> optimizers("optimizer");
  optimizers.add("adam", [] { return 1; });
  optimizers.add("sgd", [] { return 2; });
  EXPECT_EQ(optimizers.get("sgd")(), 2);
  EXPECT_THAT(optimizers.names(), testing::ElementsAre("adam", "sgd"));
}

TEST(Registry, AnUnknownNameIsAnsweredWithTheNearest) {
  Registry<Factory> optimizers("optimizer");
  optimizers.add("adam", [] { return 1; });
  optimizers.add("sgd", [] { return 2; });
  try {
    optimizers.get("adm");
    FAIL() << "expected a UsageError";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "there is no optimizer 'adm'; did you mean 'adam'? (known: adam sgd)");
  }
}

TEST(Registry, ANameIsTakenOnce) {
  Registry<Factory> optimizers("optimizer");
  optimizers.add("adam", [] { return 1; });
  EXPECT_THROW(optimizers.add("adam", [] { return 3; }), UsageError);
  EXPECT_EQ(optimizers.get("adam")(), 1);
}

}  // namespace
}  // namespace skein
