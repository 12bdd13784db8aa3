#include "skein/train/training_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "skein/base/error.h"
#include "skein/base/log.h"
#include "skein/data/mixture.h"
#include "skein/train/data_checks.h"

namespace skein {
namespace {

namespace fs = std::filesystem;

void require_alike(const fs::path& first, const DataFolderInfo& expected, const fs::path& folder,
                   const DataFolderInfo& info) {
  if (info.monolingual() != expected.monolingual()) {
    throw UsageError(fmt::format("{} holds {}, {} {}; train on one kind of data", folder.string(),
                                 info.monolingual() ? "sentences" : "pairs", first.string(),
                                 expected.monolingual() ? "sentences" : "pairs"));
  }
  if (info.source_checksum == expected.source_checksum &&
      info.target_checksum == expected.target_checksum) {
    return;
  }
  throw UsageError(
      fmt::format("{} was prepared with another vocabulary than {}; prepare both with the same",
                  folder.string(), first.string()));
}

BatchOptions batch_options(const TrainOptions& options) {
  const BatchOrder order = options.data.order == "file"             ? BatchOrder::kFile
                           : options.data.order == "shortest_first" ? BatchOrder::kShortestFirst
                                                                    : BatchOrder::kShuffled;
  return {.max_tokens = options.data.max_tokens,
          .max_sentences = options.data.max_sentences,
          .order = order,
          .first_epoch_order = order,
          .seed = static_cast<uint64_t>(options.loop.seed),
          .blocks = options.data.blocks()};
}

}  // namespace

TrainingData::TrainingData(const std::vector<fs::path>& folders)
    : folders_(folders),
      info_(read_complete_data(folders.front())),
      valid_(data_set_path(folders.front(), "valid")) {
  for (const fs::path& folder : folders_) {
    if (folder != folders_.front()) {
      const DataFolderInfo info = read_data_folder(folder);
      require_data_file(folder, data_set_path("", "train").string());
      require_alike(folders_.front(), info_, folder, info);
    }
    train_.emplace_back(data_set_path(folder, "train"));
  }
  tokenizers_ = load_tokenizers(folders_.front(), languages());
  const VocabularySizes vocabulary = vocabulary_sizes(tokenizers_);
  for (const DataSet& each : train_) require_vocabulary(each, vocabulary);
  require_vocabulary(valid_, vocabulary);
}

LanguageOptions TrainingData::languages() const {
  return {.source = info_.source_language,
          .target = info_.target_language,
          .source_vocabulary = info_.source_vocabulary,
          .target_vocabulary = info_.target_vocabulary};
}

fs::path TrainingData::valid_target_text(bool needed) const {
  if (needed) require_data_file(folders_.front(), target_text_path("", "valid").string());
  return target_text_path(folders_.front(), "valid");
}

std::vector<fs::path> TrainingData::vocabularies() const {
  std::vector<fs::path> files = {folders_.front() / info_.target_vocabulary};
  if (!info_.monolingual() && info_.source_vocabulary != info_.target_vocabulary) {
    files.push_back(folders_.front() / info_.source_vocabulary);
  }
  return files;
}

void TrainingData::require_fit(const Model& model, const BlockOptions& blocks) const {
  for (const DataSet& each : train_) {
    require_lengths(each, blocks, model, "with a smaller --max-length");
  }
  // --max-length leaves validation and test as they are.
  require_lengths(valid_, blocks, model, "from a validation text without them");
}

BatchIterator TrainingData::batches(const TrainOptions& options, const Model& model) const {
  BatchOptions batches = batch_options(options);
  std::vector<int64_t> sizes;
  sizes.reserve(train_.size());
  for (const DataSet& each : train_) sizes.push_back(each.size());
  batches.rates = mixture_rates(sizes, options.data.weights, options.data.temperature);
  for (size_t i = 0; i < train_.size() && train_.size() > 1; ++i) {
    log_info(fmt::format("{}: {} samples, {:.4g} times an epoch", train_[i].name(), sizes[i],
                         batches.rates[i]));
  }
  Resampler::Side source, target;
  if (options.data.source_sampling > 0) {
    if (tokenizers_.source == nullptr) {
      throw UsageError("data.source_sampling: a language model has no source; leave it out");
    }
    source = {.tokenizer = tokenizers_.source.get(),
              .alpha = options.data.source_sampling,
              .longest = std::min(model.max_source_length(), batches.max_tokens) - 1};
  }
  if (options.data.target_sampling > 0) {
    target = {.tokenizer = tokenizers_.target.get(),
              .alpha = options.data.target_sampling,
              .longest = std::min(model.max_target_length(), batches.max_tokens) - 1};
  }
  return {train_, batches, Resampler(source, target)};
}

}  // namespace skein
