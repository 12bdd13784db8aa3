// --output never destroys what the command reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/trained_model.h"
#include "skein/base/files.h"

namespace skein {
namespace {

using testing::HasSubstr;

using OutputFile = TrainedModel;

TEST_F(OutputFile, IsNoInput) {
  ASSERT_EQ(run("ln -s a.en link && ln a.en hard").exit_code, 0);
  const std::string english = read_file(folder_.path() / "a.en");
  const std::string german = read_file(folder_.path() / "a.de");
  for (const char* line : {"skein translate --model model --input a.en --output a.en",
                           "skein translate --model model --input a.en --output ./link",
                           "skein translate --model model --input link --output hard",
                           "skein score --model model --source a.en --target a.de --output a.en",
                           "skein score --model model --source a.en --target a.de --output a.de",
                           "skein vocab --input a.de a.en --output a.en --type char",
                           "skein vocab --input a --source en --target de --output a.de"}) {
    const ShellResult result = run(line);
    EXPECT_EQ(result.exit_code, 2) << line;
    EXPECT_THAT(result.error, HasSubstr("is the input ")) << line;
    EXPECT_THAT(result.error, HasSubstr("which writing would destroy; name another file")) << line;
    EXPECT_EQ(read_file(folder_.path() / "a.en"), english) << line;
    EXPECT_EQ(read_file(folder_.path() / "a.de"), german) << line;
  }
}

}  // namespace
}  // namespace skein
