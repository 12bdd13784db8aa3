#include "skein/train/checkpoint_store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "skein/base/error.h"

namespace skein {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kRemovedPrefix = "removed-";

const fs::path& made_writable(const fs::path& folder) {
  require_writable_folder(folder);
  require_writable_folder(folder / "checkpoints");
  return folder;
}

// Replaces the link in one step. Relative, so that the folder may be moved.
void point(const fs::path& link, const fs::path& target) {
  const fs::path partial = fmt::format("{}.partial-{}", link.string(), ::getpid());
  std::error_code error;
  fs::remove(partial, error);
  fs::create_symlink(target, partial, error);
  if (!error) fs::rename(partial, link, error);
  if (error) {
    throw FileError(
        fmt::format("cannot point {} at {}: {}", link.string(), target.string(), error.message()));
  }
}

void remove_checkpoint(const fs::path& path) {
  const fs::path nameless =
      path.parent_path() / (std::string(kRemovedPrefix) + path.filename().string());
  std::error_code error;
  fs::remove_all(nameless, error);
  fs::rename(path, nameless, error);
  if (!error) fs::remove_all(nameless, error);
  if (error) {
    throw FileError(
        fmt::format("cannot remove the old checkpoint {}: {}", path.string(), error.message()));
  }
}

}  // namespace

CheckpointStore::CheckpointStore(const fs::path& training_folder, CheckpointRetention retention)
    : folder_(made_writable(training_folder)), retention_(retention), lock_(folder_) {
  if (retention_.keep_last < 1 || retention_.keep_best < 0) {
    throw UsageError(
        fmt::format("keeping the last {} and best {} checkpoints: expected at least 1 and 0",
                    retention_.keep_last, retention_.keep_best));
  }
  remove_leftovers();
  for (const CheckpointPlace& place : list_checkpoints(folder_)) {
    saved_.push_back({place, Checkpoint(place.path).state().score});
  }
  if (!saved_.empty()) point_at_newest_and_best();
}

std::optional<fs::path> CheckpointStore::newest() const {
  if (saved_.empty()) return std::nullopt;
  return saved_.back().place.path;
}

std::optional<fs::path> CheckpointStore::best() const {
  const std::vector<const Saved*> best = best_first();
  if (best.empty()) return std::nullopt;
  return best.front()->place.path;
}

// Best first; of equal ones the older, so that the link does not wander. Scores of another metric
// than the newest one's count as none.
std::vector<const CheckpointStore::Saved*> CheckpointStore::best_first() const {
  std::string metric;
  for (const Saved& each : saved_) {
    if (each.score) metric = each.score->metric;
  }
  std::vector<const Saved*> scored;
  for (const Saved& each : saved_) {
    if (each.score && each.score->metric == metric) scored.push_back(&each);
  }
  std::stable_sort(scored.begin(), scored.end(),
                   [](const Saved* a, const Saved* b) { return a->score->better_than(*b->score); });
  return scored;
}

void CheckpointStore::save(CheckpointContents contents) {
  const Saved saved{{folder_ / checkpoint_name(contents.state.step), contents.state.step},
                    contents.state.score};
  write_checkpoint(saved.place.path, std::move(contents));
  std::erase_if(saved_, [&](const Saved& each) { return each.place.step == saved.place.step; });
  const auto later = std::find_if(saved_.begin(), saved_.end(), [&](const Saved& each) {
    return each.place.step > saved.place.step;
  });
  saved_.insert(later, saved);
  const std::vector<CheckpointPlace> unneeded = take_unneeded();
  point_at_newest_and_best();
  for (const CheckpointPlace& place : unneeded) remove_checkpoint(place.path);
}

void CheckpointStore::point_at_newest_and_best() const {
  point(folder_ / "last", checkpoint_name(saved_.back().place.step));
  const std::vector<const Saved*> best = best_first();
  if (!best.empty()) point(folder_ / "best", checkpoint_name(best.front()->place.step));
}

std::vector<CheckpointPlace> CheckpointStore::take_unneeded() {
  std::set<int64_t> kept;
  const std::vector<const Saved*> best = best_first();
  for (size_t i = 0; i < best.size() && i < static_cast<size_t>(retention_.keep_best); ++i) {
    kept.insert(best[i]->place.step);
  }
  const size_t last = std::min(saved_.size(), static_cast<size_t>(retention_.keep_last));
  for (size_t i = saved_.size() - last; i < saved_.size(); ++i) kept.insert(saved_[i].place.step);

  std::vector<CheckpointPlace> unneeded;
  std::erase_if(saved_, [&](const Saved& each) {
    if (kept.contains(each.place.step)) return false;
    unneeded.push_back(each.place);
    return true;
  });
  return unneeded;
}

// The lock says that no other training is writing here.
void CheckpointStore::remove_leftovers() const {
  std::vector<fs::path> leftovers;
  for (const fs::path& folder : {folder_, folder_ / "checkpoints"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      const bool ours =
          name.starts_with("step-") || name.starts_with("last.") || name.starts_with("best.");
      if (name.starts_with(kRemovedPrefix) ||
          (ours && name.find(".partial-") != std::string::npos)) {
        leftovers.push_back(entry.path());
      }
    }
  }
  std::error_code ignored;  // a leftover that stays does no harm
  for (const fs::path& each : leftovers) fs::remove_all(each, ignored);
}

}  // namespace skein
