#include "skein/decode/workers.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "skein/base/parallel.h"

namespace skein {
namespace {

class Queue {
 public:
  explicit Queue(size_t count) : count_(count) {}

  void work(const std::function<std::function<void(size_t)>()>& make_worker) {
    try {
      const std::function<void(size_t)> worker = make_worker();
      for (size_t i = next_++; i < count_; i = next_++) worker(i);
    } catch (...) {
      next_ = count_;
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  size_t count_;
  std::atomic<size_t> next_ = 0;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

void run_workers(size_t count, const std::function<std::function<void(size_t)>()>& make_worker) {
  Queue queue(count);
  const int all = threads();
  const size_t workers = std::min(count, static_cast<size_t>(all));
  if (workers <= 1) {
    queue.work(make_worker);
  } else {
    std::vector<std::jthread> pool;
    for (size_t i = 0; i < workers; ++i) {
      pool.emplace_back([&] {
        // OpenMP keeps this number for each thread apart.
        set_threads(all / static_cast<int>(workers));
        queue.work(make_worker);
      });
    }
  }
  queue.rethrow();
}

}  // namespace skein
