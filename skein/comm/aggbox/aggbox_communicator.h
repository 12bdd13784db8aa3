// A communicator whose sums of floats run in the hosts' kernels (aggbox/), beside one of messages,
// which does all else and knows why another rank has ended.
//
// A sum is quantised at the edge: bitwise the same on all ranks and in every run, within N² 2^-30
// of the largest value among 352 neighbours (aggbox/aggbox/group.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "aggbox/aggbox/group.h"
#include "skein/comm/communicator.h"

namespace skein {

class AggboxCommunicator final : public Communicator {
 public:
  // `group` has the ranks of `messages`, on `interface`.
  AggboxCommunicator(std::unique_ptr<Communicator> messages, std::unique_ptr<aggbox::Group> group,
                     std::string interface);

  int rank() const override { return messages_->rank(); }
  int size() const override { return messages_->size(); }
  std::string description() const override;
  const std::vector<std::string>& hosts() const override { return messages_->hosts(); }

  // Floats' sums; the rest is the messages'.
  std::future<void> start_all_reduce(Values values, Reduction reduction) override;
  std::future<void> start_broadcast(std::span<std::byte> bytes, int root,
                                    Patience patience) override;
  std::future<Gathered> start_all_gather(std::string bytes, Patience patience) override;
  std::future<Gathered> start_gather(std::string bytes, int root, Patience patience) override;
  std::future<void> start_barrier(Patience patience) override;
  void leave(std::string_view sentence, bool usage) override;

 private:
  template <typename T>
  std::future<T> watched(std::future<T> done);
  [[noreturn]] void fail(int64_t number, const std::string& reason);

  std::unique_ptr<Communicator> messages_;  // ends last
  std::unique_ptr<aggbox::Group> group_;
  std::string interface_;
  int64_t sums_ = 0;
};

}  // namespace skein
