// The communicator of a process that is alone: every collective is done when it begins.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "skein/base/process.h"
#include "skein/comm/communicator.h"

namespace skein {

class SingleProcess final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::string description() const override { return "none"; }
  const std::vector<std::string>& hosts() const override { return hosts_; }

  std::future<void> start_all_reduce(Values, Reduction) override { return done(); }
  std::future<void> start_broadcast(std::span<std::byte>, int, Patience) override { return done(); }
  std::future<Gathered> start_all_gather(std::string bytes, Patience) override {
    std::promise<Gathered> promise;
    promise.set_value({std::move(bytes)});
    return promise.get_future();
  }
  std::future<Gathered> start_gather(std::string bytes, int, Patience patience) override {
    return start_all_gather(std::move(bytes), patience);
  }
  std::future<void> start_barrier(Patience) override { return done(); }
  void leave(std::string_view, bool) override {}

 private:
  std::vector<std::string> hosts_ = {host_name()};

  static std::future<void> done() {
    std::promise<void> promise;
    promise.set_value();
    return promise.get_future();
  }
};

}  // namespace skein
