// dataset.toml of prepared data: it is read or refused. Reading takes a folder.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

#include "skein/base/error.h"
#include "skein/base/files.h"
#include "skein/data/data_folder.h"

namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("skein_fuzz_" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
    skein::write_file(path_ / "vocab.model", "a vocabulary");
  }
  ~Folder() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Without FileWriter's flush to the disk, which would take most of the time.
void write_info(const fs::path& path, std::string_view text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  std::fwrite(text.data(), 1, text.size(), file);
  std::fclose(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Folder folder;
  write_info(folder.path() / "dataset.toml", {reinterpret_cast<const char*>(data), size});
  try {
    skein::read_data_folder(folder.path());
  } catch (const skein::Error&) {
  }
  return 0;
}
