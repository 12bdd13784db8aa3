// Builds the next batches in a thread of its own while the last one is trained.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "skein/data/batch_iterator.h"

namespace skein {

class Prefetcher {
 public:
  // Keeps at most `depth` batches ready.
  explicit Prefetcher(BatchIterator batches, size_t depth = 4);
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  // As BatchIterator::next(), in the same order; throws what that threw.
  bool next(Batch& batch);

  // The place behind the last batch that next() gave, not behind those that wait.
  Cursor cursor() const { return cursor_; }
  // Batches of the epoch that the cursor is in, of all ranks.
  int64_t batch_count() const { return batch_count_; }

 private:
  struct Item {
    Batch batch;
    bool in_epoch = false;
    Cursor cursor;
    int64_t batch_count = 0;
    std::exception_ptr error;
  };

  void run();
  Item make_item();

  BatchIterator batches_;
  Cursor cursor_;
  int64_t batch_count_;
  size_t depth_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> ready_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace skein
