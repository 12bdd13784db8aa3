// skein prepare, as a user calls it and gets it wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <tuple>

#include "cli/shell.h"
#include "data/temporary_folder.h"

namespace skein {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class PrepareCommand : public testing::Test {
 protected:
  PrepareCommand() {
    folder_.file("a.en", "one two\nthree\n");
    folder_.file("a.de", "eins zwei\ndrei\n");
    folder_.file("short.en", "one\ntwo\nthree\n");
    folder_.file("short.de", "eins\nzwei\n");
    folder_.file("empty.en", "");
    folder_.file("empty.de", "");
    folder_.file("blank.en", "\n\n");
    folder_.file("blank.de", "eins\nzwei\n");
    folder_.file("bytes.en", "one\nt\xffwo\nthree\n");
    folder_.file("bytes.de", "eins\nzwei\ndrei\n");
    std::filesystem::create_directories(folder_.path() / "kept");
    folder_.file("kept/letter.txt", "a user's own file\n");
    EXPECT_EQ(run("skein vocab --input a.en a.de --type word --size 50 --output v.model").exit_code,
              0);
  }

  ShellResult run(const std::string& line) const { return run_shell(line, folder_.path()); }
  static std::string command(const std::string& train, const std::string& more = "") {
    return "skein prepare --source en --target de --vocab v.model --valid a --output data "
           "--train " +
           train + " " + more;
  }

  TemporaryFolder folder_;
};

TEST_F(PrepareCommand, TellsWhatItKept) {
  const ShellResult result = run(command("a", "--test a"));
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.error + result.out,
              AllOf(HasSubstr("train: 2 read, 2 kept"), HasSubstr("test: 2 read, 2 kept")));
}

TEST_F(PrepareCommand, ALineThatIsNotUtf8StopsItOrIsCounted) {
  const ShellResult stopped = run(command("bytes"));
  EXPECT_EQ(stopped.exit_code, 1);
  EXPECT_THAT(stopped.error, HasSubstr("bytes.en:2"));
  const ShellResult skipped = run(command("bytes", "--on-error skip"));
  EXPECT_EQ(skipped.exit_code, 0) << skipped.error;
  EXPECT_THAT(skipped.error + skipped.out, HasSubstr("train: 3 read, 2 kept"));
}

TEST_F(PrepareCommand, WrongInputGetsOneSentence) {
  for (const auto& [line, exit_code, first, second] :
       {std::tuple(command("nowhere"), 1, "nowhere.en", "skein: "),
        std::tuple(command("short"), 1, "short.de", "2"),
        std::tuple(command("empty"), 1, "empty", "skein: "),
        std::tuple(command("blank"), 1, "skein: ", "blank"),
        std::tuple(command("a", "--max-lenght 3"), 2, "max-length", "skein: "),
        std::tuple(command("a", "--max-length 0"), 2, "max-length", "skein: "),
        std::tuple(
            std::string(
                "skein prepare --source en --target de --vocab none.model --train a --valid a "
                "--output data"),
            1, "none.model", "skein: "),
        std::tuple(
            std::string("skein prepare --source en --target de --vocab v.model --train a --valid a "
                        "--output kept"),
            2, "kept", "skein: ")}) {
    const ShellResult result = run(line);
    EXPECT_EQ(result.exit_code, exit_code) << line << "\n" << result.error;
    EXPECT_THAT(result.error,
                AllOf(testing::StartsWith("skein: "), HasSubstr(first), HasSubstr(second)))
        << line;
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
  }
  EXPECT_EQ(run("cat kept/letter.txt").out, "a user's own file\n");
}

}  // namespace
}  // namespace skein
