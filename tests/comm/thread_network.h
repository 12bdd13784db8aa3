// Ranks as threads of one process, and messages between them that take their time.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "skein/base/random.h"
#include "skein/comm/message_communicator.h"

namespace skein {

// Shared by the transports of all ranks. A message is read where the sender has it, when the
// receiver takes it: whoever touches it too early is found out.
class ThreadNetwork {
 public:
  explicit ThreadNetwork(int size, uint64_t seed = 1) : size_(size), random_(seed) {}

  int size() const { return size_; }
  // From now on nothing that this rank sends arrives, as if it were stopped.
  void silence(int rank) {
    const std::lock_guard lock(mutex_);
    silent_ |= 1U << static_cast<unsigned>(rank);
  }

  std::unique_ptr<Transport> transport(int rank) { return std::make_unique<Port>(*this, rank); }

 private:
  struct Message {
    std::span<const std::byte> bytes;
    uint64_t delay = 0;  // looks until it is there
    bool taken = false;
    bool withdrawn = false;
  };
  using Key = std::tuple<int, int, int>;  // from, to, tag
  struct Line {
    std::vector<std::shared_ptr<Message>> messages;
    size_t expected = 0;  // receives so far
  };

  struct Sent final : Transfer {
    ThreadNetwork& network;
    std::shared_ptr<Message> message;
    Sent(ThreadNetwork& n, std::shared_ptr<Message> m) : network(n), message(std::move(m)) {}
    ~Sent() override {
      const std::lock_guard lock(network.mutex_);
      message->withdrawn = true;
    }
    bool done() override {
      const std::lock_guard lock(network.mutex_);
      return message->taken;
    }
  };

  struct Received final : Transfer {
    ThreadNetwork& network;
    Key key;
    size_t index;
    std::span<std::byte> bytes;
    Received(ThreadNetwork& n, Key k, size_t i, std::span<std::byte> b)
        : network(n), key(k), index(i), bytes(b) {}
    bool done() override {
      const std::lock_guard lock(network.mutex_);
      Line& line = network.lines_[key];
      if (index >= line.messages.size()) return false;
      Message& message = *line.messages[index];
      if (message.withdrawn) return false;
      if (message.delay > 0) {
        --message.delay;
        return false;
      }
      if (message.bytes.size() != bytes.size()) {
        throw CommunicationError("a message of another length than is expected");
      }
      std::copy(message.bytes.begin(), message.bytes.end(), bytes.begin());
      message.taken = true;
      return true;
    }
  };

  struct Port final : Transport {
    ThreadNetwork& network;
    int own;
    Port(ThreadNetwork& n, int rank) : network(n), own(rank) {}
    int rank() const override { return own; }
    int size() const override { return network.size_; }
    std::string description() const override { return "threads"; }
    std::unique_ptr<Transfer> send(int to, int tag, std::span<const std::byte> bytes) override {
      const std::lock_guard lock(network.mutex_);
      auto message = std::make_shared<Message>();
      message->bytes = bytes;
      message->delay = network.random_.below(4);
      if ((network.silent_ >> static_cast<unsigned>(own) & 1U) == 0) {
        network.lines_[{own, to, tag}].messages.push_back(message);
      }
      return std::make_unique<Sent>(network, message);
    }
    std::unique_ptr<Transfer> receive(int from, int tag, std::span<std::byte> bytes) override {
      const std::lock_guard lock(network.mutex_);
      const Key key{from, own, tag};
      return std::make_unique<Received>(network, key, network.lines_[key].expected++, bytes);
    }
    void finish() override { ++network.finished_; }
  };

 public:
  // Ranks whose transport has ended in order.
  int finished() const { return finished_; }

 private:
  int size_;
  std::mutex mutex_;
  Random random_;
  unsigned silent_ = 0;
  std::map<Key, Line> lines_;
  std::atomic<int> finished_ = 0;
};

// Runs `body` as every rank; what it throws ends that rank alone, as an error ends a process.
// Returns each rank's error, empty where there was none.
inline std::vector<std::string> run_ranks(ThreadNetwork& network, double timeout,
                                          const std::function<void(Communicator&)>& body) {
  std::vector<std::string> errors(static_cast<size_t>(network.size()));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < network.size(); ++rank) {
    threads.emplace_back([&, rank] {
      std::string& error = errors[static_cast<size_t>(rank)];
      try {
        MessageCommunicator communicator([&] { return network.transport(rank); }, timeout);
        try {
          body(communicator);
        } catch (const EndedByAnotherRank& ended) {
          error = ended.what();
        } catch (const std::exception& failure) {
          error = failure.what();
          communicator.leave(error, dynamic_cast<const UsageError*>(&failure) != nullptr);
        }
      } catch (const std::exception& failure) {
        error = std::string("at the start: ") + failure.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

// The same, where no rank may fail.
inline void run_ranks(int size, const std::function<void(Communicator&)>& body, uint64_t seed = 1) {
  ThreadNetwork network(size, seed);
  for (const std::string& error : run_ranks(network, 60, body)) {
    if (!error.empty()) throw Error(error);
  }
  if (network.finished() != size) throw Error("not every rank has ended in order");
}

}  // namespace skein
