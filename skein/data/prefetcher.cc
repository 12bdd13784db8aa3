#include "skein/data/prefetcher.h"

#include <algorithm>
#include <utility>

namespace skein {

Prefetcher::Prefetcher(BatchIterator batches, size_t depth)
    : batches_(std::move(batches)),
      cursor_(batches_.cursor()),
      batch_count_(batches_.batch_count()),
      depth_(std::max<size_t>(depth, 1)),
      thread_([this] { run(); }) {}

Prefetcher::~Prefetcher() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Prefetcher::Item Prefetcher::make_item() {
  Item item;
  try {
    item.in_epoch = batches_.next(item.batch);
    item.cursor = batches_.cursor();
    item.batch_count = batches_.batch_count();
  } catch (...) {
    item.error = std::current_exception();
  }
  return item;
}

void Prefetcher::run() {
  for (bool failed = false; !failed;) {
    Item item = make_item();
    failed = item.error != nullptr;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopping_ || ready_.size() < depth_; });
    if (stopping_) return;
    ready_.push_back(std::move(item));
    changed_.notify_all();
  }
}

bool Prefetcher::next(Batch& batch) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !ready_.empty(); });
  // An error stays in front: every later call throws it again.
  if (ready_.front().error) std::rethrow_exception(ready_.front().error);
  Item item = std::move(ready_.front());
  ready_.pop_front();
  changed_.notify_all();
  batch = std::move(item.batch);
  cursor_ = item.cursor;
  batch_count_ = item.batch_count;
  return item.in_epoch;
}

}  // namespace skein
