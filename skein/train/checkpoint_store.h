// The checkpoints of one training: saves them, keeps the last and the best ones, and points at
// them.
//
// Whenever the program is killed, the newest checkpoint under its name is complete: a new one gets
// its name when all its files are on the disk, an old one loses its name before its files go.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "skein/train/checkpoint.h"
#include "skein/train/folder_lock.h"

namespace skein {

struct CheckpointRetention {
  int64_t keep_last = 5;  // at least 1
  int64_t keep_best = 1;  // by score
};

class CheckpointStore {
 public:
  // Creates the folder if needed and looks at what is there; removes what a killed program left
  // behind. Throws FileError if it cannot be written to or another training writes to it, and
  // FormatError if a checkpoint's state is damaged.
  CheckpointStore(const std::filesystem::path& training_folder, CheckpointRetention retention);

  // Empty if there is none.
  std::optional<std::filesystem::path> newest() const;
  std::optional<std::filesystem::path> best() const;

  // Writes the checkpoint of contents.state.step, points `last` and `best` at the right ones and
  // removes those that need not be kept. Throws FileError; the checkpoints before stay whole.
  void save(CheckpointContents contents);

 private:
  struct Saved {
    CheckpointPlace place;
    std::optional<Score> score;
  };

  std::vector<const Saved*> best_first() const;
  void point_at_newest_and_best() const;
  std::vector<CheckpointPlace> take_unneeded();
  void remove_leftovers() const;

  std::filesystem::path folder_;
  CheckpointRetention retention_;
  FolderLock lock_;
  std::vector<Saved> saved_;  // by step
};

}  // namespace skein
