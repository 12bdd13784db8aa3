#include "skein/train/data_checks.h"

#include <fmt/format.h>

#include "skein/base/error.h"

namespace skein {

DataFolderInfo read_complete_data(const std::filesystem::path& folder) {
  DataFolderInfo info = read_data_folder(folder);
  for (const char* split : {"train", "valid"}) {
    require_data_file(folder, data_set_path("", split).string());
  }
  return info;
}

void require_vocabulary(const DataSet& data, const VocabularySizes& vocabulary) {
  if (data.source_vocabulary_size() == vocabulary.source &&
      data.target_vocabulary_size() == vocabulary.target) {
    return;
  }
  const auto describe = [](int64_t source, int64_t target) {
    return source == 0 ? std::to_string(target)
                       : fmt::format("{} source and {} target", source, target);
  };
  throw FormatError(fmt::format(
      "{} was prepared with {} pieces, but the vocabulary beside it has {}; run skein prepare "
      "again",
      data.name(), describe(data.source_vocabulary_size(), data.target_vocabulary_size()),
      describe(vocabulary.source, vocabulary.target)));
}

void require_lengths(const DataSet& data_set, const BlockOptions& blocks, const Model& model,
                     std::string_view remedy) {
  const Samples data(data_set, blocks);
  int64_t too_long = 0;
  for (int64_t i = 0; i < data.size(); ++i) {
    const bool source = model.has_source() && data.source_length(i) > model.max_source_length();
    if (source || data.target_length(i) > model.max_target_length()) ++too_long;
  }
  if (too_long == 0) return;
  if (!data.sentences()) {
    throw UsageError(
        fmt::format("{} of the {} blocks of {} do not fit the model's {} positions; raise "
                    "model.max_positions or lower data.block_tokens",
                    too_long, data.size(), data_set.name(), model.max_target_length()));
  }
  throw UsageError(
      fmt::format("{} of the {} samples of {} do not fit the model's {} positions with their end "
                  "mark; raise model.max_positions, or prepare the data {}",
                  too_long, data.size(), data_set.name(), model.max_target_length(), remedy));
}

}  // namespace skein
