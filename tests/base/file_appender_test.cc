#include "skein/base/file_appender.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "data/temporary_folder.h"
#include "error_of.h"

namespace skein {
namespace {

TEST(FileAppender, GoesOnAtTheEndUnlessItIsToReplace) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "log";
  FileAppender(path).append("one\n");
  FileAppender(path).append("two\n");
  EXPECT_EQ(read_file(path), "one\ntwo\n");
  FileAppender(path, FileAppender::Existing::kReplaced).append("three\n");
  EXPECT_EQ(read_file(path), "three\n");
}

TEST(FileAppender, AFullDiskIsSaid) {
  FileAppender file("/dev/full");
  EXPECT_EQ(error_of<FileError>([&] { file.append("text"); }),
            "cannot write /dev/full: No space left on device; free some space and run again");
}

// Files of this process may have `bytes`, as long as it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST(FileAppender, TextThatDoesNotFitLeavesNoPart) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "log";
  FileAppender file(path);
  file.append("12345\n");
  {
    const FileSizeLimit limit(8);  // two bytes of the next text fit
    EXPECT_THROW(file.append("67890\n"), FileError);
  }
  EXPECT_EQ(read_file(path), "12345\n");
  file.append("67890\n");
  EXPECT_EQ(read_file(path), "12345\n67890\n");
}

}  // namespace
}  // namespace skein
