// The folder that `skein prepare` writes and training reads: dataset.toml, the vocabulary, and a
// data set (.skd) a split.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace skein {

struct SplitCounts {
  int64_t samples = 0;
  int64_t source_tokens = 0;
  int64_t target_tokens = 0;
};

// The content of dataset.toml.
struct DataFolderInfo {
  int64_t format_version = 1;
  std::string source_language;  // empty: monolingual
  std::string target_language;
  std::string source_vocabulary;  // file names in the folder; the same for a shared vocabulary
  std::string target_vocabulary;
  std::string source_checksum;  // of these files, CRC-32 in hexadecimal
  std::string target_checksum;
  SplitCounts train;
  SplitCounts valid;
  SplitCounts test;

  bool monolingual() const { return source_language.empty(); }
};

// Throws FileError, saying that the folder is no prepared data, if it holds no dataset.toml, or
// that it lacks a vocabulary; FormatError if its version is another, or a vocabulary not the one
// that it was prepared with.
DataFolderInfo read_data_folder(const std::filesystem::path& folder);
// Throws FileError if the prepared data in `folder` has lost the file `name`.
void require_data_file(const std::filesystem::path& folder, const std::string& name);
// Takes the checksums of the vocabularies, which are in the folder already.
void write_data_folder_info(const DataFolderInfo& info, const std::filesystem::path& folder);

// `split`: "train", "valid" or "test".
std::filesystem::path data_set_path(const std::filesystem::path& folder, std::string_view split);
// The raw text of a split, which valid and test keep for the target, and with --keep-text for the
// source.
std::filesystem::path source_text_path(const std::filesystem::path& folder, std::string_view split);
std::filesystem::path target_text_path(const std::filesystem::path& folder, std::string_view split);

// Throws UsageError if `folder` exists and holds anything but prepared data, which would be lost if
// new data took its place.
void require_replaceable(const std::filesystem::path& folder);

}  // namespace skein
