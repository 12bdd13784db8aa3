// The prepared data of a training: one folder or several.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "skein/data/batch_iterator.h"
#include "skein/data/data_folder.h"
#include "skein/data/data_set.h"
#include "skein/models/model.h"
#include "skein/train/load_model.h"
#include "skein/train/options.h"

namespace skein {

class TrainingData {
 public:
  // Throws as read_data_folder() does, and UsageError for folders whose vocabularies differ, or of
  // which some are pairs and some are not.
  explicit TrainingData(const std::vector<std::filesystem::path>& folders);

  LanguageOptions languages() const;
  const Tokenizers& tokenizers() const { return tokenizers_; }
  std::span<const DataSet> train() const { return train_; }
  const DataSet& valid() const { return valid_; }
  // The translations that validation compares with. `needed`: throws FileError if they are lost.
  std::filesystem::path valid_target_text(bool needed) const;
  // The files that a model needs to be used.
  std::vector<std::filesystem::path> vocabularies() const;
  const std::filesystem::path& folder() const { return folders_.front(); }

  // Throws FormatError or UsageError unless all of it fits the model.
  void require_fit(const Model& model, const BlockOptions& blocks) const;

  // The batches that `options` asks for, for `model`. This object must outlive them.
  BatchIterator batches(const TrainOptions& options, const Model& model) const;

 private:
  std::vector<std::filesystem::path> folders_;
  DataFolderInfo info_;  // of the first
  std::vector<DataSet> train_;
  DataSet valid_;
  Tokenizers tokenizers_;
};

}  // namespace skein
