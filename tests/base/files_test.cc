#include "skein/base/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "skein/base/error.h"

namespace skein {
namespace fs = std::filesystem;
namespace {

class Files : public testing::Test {
 protected:
  Files() : folder_(fs::temp_directory_path() / ("skein_files_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~Files() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(Files, WhatIsWrittenIsRead) {
  write_file(folder_ / "a", "one");
  write_file(folder_ / "a", "two");
  EXPECT_EQ(read_file(folder_ / "a"), "two");
  EXPECT_EQ(MappedFile(folder_ / "a").bytes().size(), 3u);
}

TEST_F(Files, AMissingFileIsNamed) {
  try {
    read_file(folder_ / "none");
    FAIL();
  } catch (const FileError& error) {
    EXPECT_EQ(std::string(error.what()), "cannot read " + (folder_ / "none").string() +
                                             ": No such file or directory; check the name");
  }
}

TEST_F(Files, AFolderIsNoFile) { EXPECT_THROW(read_file(folder_), FileError); }

TEST_F(Files, AFullDiskIsSaid) {
  {
    FileWriter writer("/dev/full");
    writer.write("text");
    EXPECT_THROW(writer.close(), FileError);
  }
  EXPECT_TRUE(fs::is_character_file("/dev/full"));  // a device is left where it is
}

TEST_F(Files, AHeaderCanBeWrittenLast) {
  FileWriter writer(folder_ / "a");
  writer.write("????text");
  writer.overwrite(0, std::as_bytes(std::span("size", 4)));
  writer.write(" goes on");
  writer.close();
  EXPECT_EQ(read_file(folder_ / "a"), "sizetext goes on");
}

TEST_F(Files, AnUnfinishedFileIsRemoved) {
  { FileWriter(folder_ / "part").write("x"); }
  EXPECT_FALSE(fs::exists(folder_ / "part"));
}

TEST_F(Files, AFolderAppearsWholeOrNotAtAll) {
  const fs::path target = folder_ / "checkpoint";
  {
    FolderWriter writer(target);
    write_file(writer.path() / "a", "1");
  }
  EXPECT_FALSE(fs::exists(target));
  {
    FolderWriter writer(target);
    write_file(writer.path() / "a", "1");
    writer.commit();
  }
  EXPECT_EQ(read_file(target / "a"), "1");
  {
    FolderWriter writer(target);
    write_file(writer.path() / "b", "2");
    writer.commit();
  }
  EXPECT_FALSE(fs::exists(target / "a"));
  EXPECT_EQ(read_file(target / "b"), "2");
}

}  // namespace
}  // namespace skein
