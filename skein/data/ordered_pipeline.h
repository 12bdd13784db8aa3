// Work on a stream of items by many threads that comes out in the order in which it went in.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace skein {

// One thread produces items, `workers` threads work on them, the calling thread consumes them in
// order. At most 2 * workers + 2 items exist at a time. What any step throws reaches the caller
// when its item's turn comes, so the same input fails at the same place whatever the number of
// threads.
template <typename Item>
class OrderedPipeline {
 public:
  struct Steps {
    std::function<bool(Item&)> produce;  // false at the end
    std::function<void(Item&)> work;     // called from several threads at once
    std::function<void(Item&)> consume;
  };

  static void run(int workers, Steps steps) {
    OrderedPipeline(workers, std::move(steps)).consume_all();
  }

 private:
  struct Slot {
    Item item;
    std::exception_ptr error;
    bool done = false;
  };

  OrderedPipeline(int workers, Steps steps)
      : steps_(std::move(steps)), capacity_(2 * static_cast<size_t>(workers) + 2) {
    threads_.emplace_back([this] { produce_all(); });
    for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { work_on_all(); });
  }

  ~OrderedPipeline() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void produce_all() {
    for (bool more = true; more;) {
      auto slot = std::make_shared<Slot>();
      try {
        more = steps_.produce(slot->item);
      } catch (...) {
        slot->error = std::current_exception();
        slot->done = true;
      }
      const bool failed = slot->done;
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || in_order_.size() < capacity_; });
      if (stopping_) return;
      if (more) in_order_.push_back(slot);
      if (more && !failed) unstarted_.push_back(slot);
      more = more && !failed;
      ended_ = !more;
      changed_.notify_all();
    }
  }

  void work_on_all() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return stopping_ || ended_ || !unstarted_.empty(); });
      if (stopping_ || unstarted_.empty()) return;
      const std::shared_ptr<Slot> slot = unstarted_.front();
      unstarted_.pop_front();
      lock.unlock();
      try {
        steps_.work(slot->item);
      } catch (...) {
        slot->error = std::current_exception();
      }
      lock.lock();
      slot->done = true;
      changed_.notify_all();
    }
  }

  void consume_all() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return in_order_.empty() ? ended_ : in_order_.front()->done; });
      if (in_order_.empty()) return;
      const std::shared_ptr<Slot> slot = in_order_.front();
      in_order_.pop_front();
      lock.unlock();
      changed_.notify_all();
      if (slot->error) std::rethrow_exception(slot->error);
      steps_.consume(slot->item);
    }
  }

  Steps steps_;
  size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Slot>> in_order_;
  std::deque<std::shared_ptr<Slot>> unstarted_;
  bool ended_ = false;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace skein
