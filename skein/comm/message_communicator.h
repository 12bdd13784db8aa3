// A communicator over messages between ranks. A thread of its own drives them, so that collectives
// go on while the caller computes, and ends what takes too long.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "skein/comm/collective.h"
#include "skein/comm/communicator.h"
#include "skein/comm/peer_signals.h"
#include "skein/comm/running_clock.h"
#include "skein/comm/transport.h"

namespace skein {

class MessageCommunicator final : public Communicator {
 public:
  using TransportFactory = std::function<std::unique_ptr<Transport>()>;

  // `make_transport` is called in the new thread. `timeout`, in seconds, is that of every
  // collective. Passes on what `make_transport` throws, and throws CommunicationError if the other
  // ranks do not come.
  MessageCommunicator(TransportFactory make_transport, double timeout);
  // Waits for the other ranks to be done, too, unless something went wrong or leave() was called.
  ~MessageCommunicator() override;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string description() const override { return description_; }
  const std::vector<std::string>& hosts() const override { return hosts_; }

  std::future<void> start_all_reduce(Values values, Reduction reduction) override;
  std::future<void> start_broadcast(std::span<std::byte> bytes, int root,
                                    Patience patience) override;
  std::future<Gathered> start_all_gather(std::string bytes, Patience patience) override;
  std::future<Gathered> start_gather(std::string bytes, int root, Patience patience) override;
  std::future<void> start_barrier(Patience patience) override;
  void leave(std::string_view sentence, bool usage) override;

 private:
  using Begin = std::function<std::unique_ptr<Collective>(Channel)>;

  struct Job {
    std::string name = {};  // "all-reduce"
    Patience patience = Patience::kPrompt;
    Begin begin = {};
    int64_t number = 0;
    double begun = 0;
    std::unique_ptr<Collective> collective = {};
    std::promise<void> promise = {};
  };
  struct Farewell {
    std::string sentence;  // empty: all is done
    bool usage = false;
  };

  std::future<void> add(std::string name, Patience patience, Begin begin);
  std::future<Gathered> add_gather(std::string name, Patience patience, std::string bytes,
                                   std::optional<int> root);
  void part(Farewell farewell);

  // The thread's.
  void run(const TransportFactory& make_transport);
  void serve();
  void take_jobs();
  bool advance_jobs();
  void require_in_time(const Job& job, double now) const;
  std::string overdue(const Job& job, std::vector<int> missing, double now) const;
  void fail(const std::exception_ptr& error);
  void end();
  void rest(double look);

  double timeout_;
  int rank_ = 0;
  int size_ = 1;
  std::string description_;
  Gathered hosts_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Job> added_;              // not yet seen by the thread
  std::optional<Farewell> farewell_;  // the thread's task is to end
  std::exception_ptr failure_;        // of every collective from now on

  std::unique_ptr<Transport> transport_;
  std::optional<PeerSignals> signals_;
  RunningClock clock_;
  std::list<Job> jobs_;
  std::list<Job> abandoned_;
  int64_t collectives_ = 0;
  double busy_since_ = 0;  // when a collective last began or was over
  std::promise<void> started_;
  std::thread thread_;
};

}  // namespace skein
