#include "skein/comm/collective.h"

#include <array>
#include <utility>

#include "skein/comm/reduce.h"
#include "skein/comm/transfers.h"

namespace skein {
namespace {

// Up to here a message costs its latency, and one round is faster than two.
constexpr size_t kOneRound = 16 << 10;  // bytes

// Elements [begin(r), begin(r + 1)) are rank r's to work on.
struct Chunks {
  size_t count;
  int ranks;

  size_t begin(int rank) const {
    return count * static_cast<size_t>(rank) / static_cast<size_t>(ranks);
  }
  size_t length(int rank) const { return begin(rank + 1) - begin(rank); }
  template <typename T>
  std::span<T> of(std::span<T> values, int rank) const {
    return values.subspan(begin(rank), length(rank));
  }
};

// What all of them share: messages to and from every other rank, in two phases.
class Exchange : public Collective {
 public:
  explicit Exchange(Channel channel)
      : channel_(channel),
        rank_(channel.transport.rank()),
        size_(channel.transport.size()),
        sends_{Transfers(size_), Transfers(size_)},
        receives_{Transfers(size_), Transfers(size_)} {}

  // Who has not sent anything is missing; who only sends late may itself wait for another.
  std::vector<int> missing() const override {
    for (const Transfers* each : {&receives_[0], &receives_[1], &sends_[0], &sends_[1]}) {
      std::vector<int> ranks = each->missing();
      if (!ranks.empty()) return ranks;
    }
    return {};
  }

 protected:
  void send(int phase, int to, std::span<const std::byte> bytes) {
    sends_[static_cast<size_t>(phase)].add(
        to, channel_.transport.send(to, channel_.tag + phase, bytes));
  }
  void receive(int phase, int from, std::span<std::byte> bytes) {
    receives_[static_cast<size_t>(phase)].add(
        from, channel_.transport.receive(from, channel_.tag + phase, bytes));
  }

  // Begins with the next rank, so that not all send to one rank first.
  template <typename Body>
  void for_others(Body&& body) const {
    for (int i = 1; i < size_; ++i) body((rank_ + i) % size_);
  }

  // theirs: [size, own.size()]
  template <typename T>
  std::vector<const T*> by_rank(std::span<T> own, const T* theirs) const {
    std::vector<const T*> ranks(static_cast<size_t>(size_));
    for (size_t rank = 0; rank < ranks.size(); ++rank) ranks[rank] = theirs + rank * own.size();
    ranks[static_cast<size_t>(rank_)] = own.data();
    return ranks;
  }

  Channel channel_;
  int rank_;
  int size_;
  std::array<Transfers, 2> sends_;  // by phase
  std::array<Transfers, 2> receives_;
};

// Everyone sends everything to everyone.
template <typename T>
class OneRoundAllReduce final : public Exchange {
 public:
  OneRoundAllReduce(Channel channel, std::span<T> values, Reduction reduction)
      : Exchange(channel),
        values_(values),
        reduction_(reduction),
        theirs_(std::make_unique_for_overwrite<T[]>(values.size() * static_cast<size_t>(size_))) {
    for_others([&](int other) { receive(0, other, std::as_writable_bytes(part(other))); });
    for_others([&](int other) { send(0, other, std::as_bytes(values_)); });
  }

  bool advance() override {
    const bool received = receives_[0].all_done();
    if (!sends_[0].all_done() || !received) return false;
    reduce<T>(by_rank<T>(values_, theirs_.get()), reduction_, values_);
    return true;
  }

 private:
  std::span<T> part(int rank) {
    return {theirs_.get() + static_cast<size_t>(rank) * values_.size(), values_.size()};
  }

  std::span<T> values_;
  Reduction reduction_;
  std::unique_ptr<T[]> theirs_;  // [size, values]
};

// Phase 0: rank r gets everyone's chunk r and reduces it. Phase 1: it sends the result to everyone.
template <typename T>
class TwoRoundAllReduce final : public Exchange {
 public:
  TwoRoundAllReduce(Channel channel, std::span<T> values, Reduction reduction)
      : Exchange(channel),
        values_(values),
        chunks_{values.size(), size_},
        reduction_(reduction),
        theirs_(std::make_unique_for_overwrite<T[]>(chunks_.length(rank_) *
                                                    static_cast<size_t>(size_))),
        result_asked_(static_cast<size_t>(size_)) {
    for_others([&](int other) { receive(0, other, std::as_writable_bytes(part(other))); });
    for_others([&](int other) { send(0, other, std::as_bytes(chunks_.of(values_, other))); });
  }

  bool advance() override {
    // A chunk's result arrives where the chunk was, which therefore must have left.
    bool all_asked = true;
    for_others([&](int other) {
      char& asked = result_asked_[static_cast<size_t>(other)];
      if (!asked && sends_[0].done(other)) {
        receive(1, other, std::as_writable_bytes(chunks_.of(values_, other)));
        asked = true;
      }
      all_asked = all_asked && asked;
    });
    if (!reduced_ && receives_[0].all_done()) reduce_own_chunk();
    const bool received = receives_[1].all_done();
    const bool sent = sends_[1].all_done();
    return reduced_ && all_asked && received && sent;
  }

 private:
  std::span<T> part(int rank) {
    const size_t length = chunks_.length(rank_);
    return {theirs_.get() + static_cast<size_t>(rank) * length, length};
  }

  void reduce_own_chunk() {
    const std::span<T> own = chunks_.of(values_, rank_);
    reduce<T>(by_rank<T>(own, theirs_.get()), reduction_, own);
    for_others([&](int other) { send(1, other, std::as_bytes(own)); });
    reduced_ = true;
  }

  std::span<T> values_;
  Chunks chunks_;
  Reduction reduction_;
  std::unique_ptr<T[]> theirs_;  // [size, own chunk]
  std::vector<char> result_asked_;
  bool reduced_ = false;
};

// The root sends all of it to everyone.
class OneRoundBroadcast final : public Exchange {
 public:
  OneRoundBroadcast(Channel channel, std::span<std::byte> bytes, int root) : Exchange(channel) {
    if (rank_ == root) {
      for_others([&](int other) { send(0, other, bytes); });
    } else {
      receive(0, root, bytes);
    }
  }
  bool advance() override { return receives_[0].all_done() && sends_[0].all_done(); }
};

// Phase 0: the root sends chunk r to rank r, and its own chunk to everyone. Phase 1: everyone
// passes on its chunk. Barnett et al. 1994.
class TwoRoundBroadcast final : public Exchange {
 public:
  TwoRoundBroadcast(Channel channel, std::span<std::byte> bytes, int root)
      : Exchange(channel), bytes_(bytes), chunks_{bytes.size(), size_}, root_(root) {
    if (rank_ == root_) {
      for_others([&](int other) { send(0, other, chunks_.of(bytes_, other)); });
      for_others([&](int other) { send(1, other, chunks_.of(bytes_, root_)); });
      passed_on_ = true;
    } else {
      receive(0, root_, chunks_.of(bytes_, rank_));
      for_others([&](int other) { receive(1, other, chunks_.of(bytes_, other)); });
    }
  }

  bool advance() override {
    if (!receives_[0].all_done()) return false;
    if (!passed_on_) {
      for_others([&](int other) {
        if (other != root_) send(1, other, chunks_.of(bytes_, rank_));
      });
      passed_on_ = true;
    }
    const bool received = receives_[1].all_done();
    const bool sent = sends_[0].all_done();
    return sends_[1].all_done() && sent && received;
  }

 private:
  std::span<std::byte> bytes_;
  Chunks chunks_;
  int root_;
  bool passed_on_ = false;
};

// Phase 0: how many bytes; phase 1: the bytes. To the root, or to everyone.
class Gather final : public Exchange {
 public:
  Gather(Channel channel, std::string bytes, std::optional<int> root,
         std::shared_ptr<Gathered> gathered)
      : Exchange(channel),
        gathered_(std::move(gathered)),
        own_(std::move(bytes)),
        own_length_(static_cast<int64_t>(own_.size())),
        receiving_(!root || *root == rank_),
        lengths_(static_cast<size_t>(size_)),
        bytes_asked_(static_cast<size_t>(size_)) {
    const auto length = std::as_bytes(std::span(&own_length_, 1));
    if (receiving_) gathered_->resize(static_cast<size_t>(size_));
    for_others([&](int other) {
      if (!receiving_) return;
      receive(0, other,
              std::as_writable_bytes(std::span(&lengths_[static_cast<size_t>(other)], 1)));
    });
    for_others([&](int other) {
      if (root && *root != other) return;
      send(0, other, length);
      send(1, other, std::as_bytes(std::span(own_)));
    });
  }

  bool advance() override {
    const bool sent = sends_[0].all_done();
    if (!sends_[1].all_done() || !sent) {
      if (receiving_) take_what_has_come();
      return false;
    }
    if (!receiving_) return true;
    if (!take_what_has_come()) return false;
    (*gathered_)[static_cast<size_t>(rank_)] = std::move(own_);
    return true;
  }

 private:
  // Whether all has.
  bool take_what_has_come() {
    bool all_asked = true;
    for_others([&](int other) {
      const auto index = static_cast<size_t>(other);
      if (!bytes_asked_[index] && receives_[0].done(other)) {
        (*gathered_)[index].resize(static_cast<size_t>(lengths_[index]));
        receive(1, other, std::as_writable_bytes(std::span((*gathered_)[index])));
        bytes_asked_[index] = true;
      }
      all_asked = all_asked && bytes_asked_[index];
    });
    return receives_[1].all_done() && all_asked;
  }

  std::shared_ptr<Gathered> gathered_;
  std::string own_;
  int64_t own_length_;
  bool receiving_;
  std::vector<int64_t> lengths_;
  std::vector<char> bytes_asked_;
};

template <typename T>
std::unique_ptr<Collective> begin_all_reduce_of(Channel channel, std::span<T> values,
                                                Reduction reduction) {
  if (values.size_bytes() <= kOneRound) {
    return std::make_unique<OneRoundAllReduce<T>>(channel, values, reduction);
  }
  return std::make_unique<TwoRoundAllReduce<T>>(channel, values, reduction);
}

}  // namespace

std::unique_ptr<Collective> begin_all_reduce(Channel channel, Values values, Reduction reduction) {
  return std::visit([&](auto span) { return begin_all_reduce_of(channel, span, reduction); },
                    values);
}

std::unique_ptr<Collective> begin_broadcast(Channel channel, std::span<std::byte> bytes, int root) {
  if (bytes.size() <= kOneRound) return std::make_unique<OneRoundBroadcast>(channel, bytes, root);
  return std::make_unique<TwoRoundBroadcast>(channel, bytes, root);
}

std::unique_ptr<Collective> begin_gather(Channel channel, std::string bytes,
                                         std::optional<int> root,
                                         std::shared_ptr<Gathered> gathered) {
  return std::make_unique<Gather>(channel, std::move(bytes), root, std::move(gathered));
}

std::unique_ptr<Collective> begin_barrier(Channel channel) {
  return std::make_unique<OneRoundAllReduce<int64_t>>(channel, std::span<int64_t>(),
                                                      Reduction::kSum);
}

}  // namespace skein
