#include "skein/data/data_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "skein/base/checksum.h"
#include "skein/base/error.h"
#include "skein/base/files.h"
#include "skein/base/settings.h"

namespace skein {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kFormatVersion = 1;
constexpr std::string_view kInfoName = "dataset.toml";
constexpr std::array<std::string_view, 3> kSplits = {"train", "valid", "test"};

Settings settings_of(DataFolderInfo& info) {
  Settings settings;
  settings.add("format_version", &info.format_version, "Version of this folder's format");
  settings.add("source.language", &info.source_language, "Empty: monolingual");
  settings.add("source.vocabulary", &info.source_vocabulary, "File of the vocabulary");
  settings.add("source.vocabulary_crc32", &info.source_checksum, "Of that file, in hexadecimal");
  settings.add("target.language", &info.target_language, "Language of the target");
  settings.add("target.vocabulary", &info.target_vocabulary, "File of the vocabulary");
  settings.add("target.vocabulary_crc32", &info.target_checksum, "Of that file, in hexadecimal");
  const std::array<SplitCounts*, 3> counts = {&info.train, &info.valid, &info.test};
  for (size_t i = 0; i < kSplits.size(); ++i) {
    const std::string split(kSplits[i]);
    settings.add(split + ".samples", &counts[i]->samples, "Sentences or pairs");
    settings.add(split + ".source_tokens", &counts[i]->source_tokens, "Without end marks");
    settings.add(split + ".target_tokens", &counts[i]->target_tokens, "Without end marks");
  }
  return settings;
}

void require_vocabulary(const fs::path& folder, const std::string& name,
                        const std::string& checksum) {
  if (name.empty()) return;
  require_data_file(folder, name);
  const fs::path path = folder / name;
  if (checksum.empty() || file_crc32_text(path) == checksum) return;
  throw FormatError(fmt::format(
      "{}: this is not the vocabulary that the data was prepared with; run skein prepare again",
      path.string()));
}

bool is_ours(const std::string& name) {
  constexpr std::array<std::string_view, 4> kNames = {kInfoName, "vocab.model",
                                                      "source.vocab.model", "target.vocab.model"};
  if (std::find(kNames.begin(), kNames.end(), name) != kNames.end()) return true;
  return std::any_of(kSplits.begin(), kSplits.end(), [&](std::string_view split) {
    return name == data_set_path("", split) || name == source_text_path("", split) ||
           name == target_text_path("", split);
  });
}

}  // namespace

DataFolderInfo read_data_folder(const fs::path& folder) {
  const fs::path path = folder / kInfoName;
  if (!fs::exists(path)) {
    throw FileError(
        fmt::format("{} is no prepared data (it holds no {}); make it with skein prepare",
                    folder.string(), kInfoName));
  }
  DataFolderInfo info;
  settings_of(info).read_toml_file(path);
  if (info.format_version != kFormatVersion) {
    throw FormatError(
        fmt::format("{}: format version {}, this program reads {}; run skein prepare again",
                    path.string(), info.format_version, kFormatVersion));
  }
  require_vocabulary(folder, info.source_vocabulary, info.source_checksum);
  require_vocabulary(folder, info.target_vocabulary, info.target_checksum);
  return info;
}

void require_data_file(const fs::path& folder, const std::string& name) {
  if (fs::exists(folder / name)) return;
  throw FileError(
      fmt::format("the data in {} is incomplete, {} is missing; run skein prepare again",
                  folder.string(), name));
}

void write_data_folder_info(const DataFolderInfo& info, const fs::path& folder) {
  DataFolderInfo copy = info;
  for (const auto& [name, checksum] : {std::pair(&copy.source_vocabulary, &copy.source_checksum),
                                       std::pair(&copy.target_vocabulary, &copy.target_checksum)}) {
    if (!name->empty()) *checksum = file_crc32_text(folder / *name);
  }
  write_file(folder / kInfoName, settings_of(copy).to_toml());
}

fs::path data_set_path(const fs::path& folder, std::string_view split) {
  return folder / fmt::format("{}.skd", split);
}

fs::path source_text_path(const fs::path& folder, std::string_view split) {
  return folder / fmt::format("{}.source.txt", split);
}

fs::path target_text_path(const fs::path& folder, std::string_view split) {
  return folder / fmt::format("{}.target.txt", split);
}

void require_replaceable(const fs::path& folder) {
  if (!fs::exists(folder)) return;
  if (!fs::is_directory(folder)) {
    throw UsageError(
        fmt::format("{} is a file; name a folder for the prepared data", folder.string()));
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (is_ours(name)) continue;
    throw UsageError(fmt::format(
        "{} holds {}, which is not prepared data and would be lost; name a new or empty folder",
        folder.string(), name));
  }
}

}  // namespace skein
