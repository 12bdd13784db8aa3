// What was made lately, by key: the least recently used is forgotten first.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace skein::kernels {

template <typename Key, typename Value>
class Recent {
 public:
  explicit Recent(size_t capacity) : capacity_(capacity) {}

  // The value of `key`; make(key) if it is not there. Values stay alive while a caller holds them.
  template <typename Make>
  std::shared_ptr<const Value> find(const Key& key, Make&& make) {
    const std::lock_guard lock(mutex_);
    const auto known = index_.find(key);
    if (known != index_.end()) {
      recent_.splice(recent_.begin(), recent_, known->second);
      return known->second->second;
    }
    recent_.emplace_front(key, std::make_shared<const Value>(make(key)));
    index_[key] = recent_.begin();
    if (recent_.size() > capacity_) {
      index_.erase(recent_.back().first);
      recent_.pop_back();
    }
    return recent_.front().second;
  }

 private:
  using Entry = std::pair<Key, std::shared_ptr<const Value>>;

  size_t capacity_;
  std::mutex mutex_;
  std::list<Entry> recent_;
  std::map<Key, typename std::list<Entry>::iterator> index_;
};

}  // namespace skein::kernels
