#include "skein/comm/message_communicator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "skein/base/process.h"

namespace skein {
namespace {

// Collectives on their way at one time have different tags.
constexpr int64_t kTags = 16000;

double sign_interval(double timeout) { return std::min(timeout / 8, 10.0); }

void sleep_for(std::chrono::microseconds time) { std::this_thread::sleep_for(time); }

}  // namespace

MessageCommunicator::MessageCommunicator(TransportFactory make_transport, double timeout)
    : timeout_(timeout) {
  std::future<void> started = started_.get_future();
  thread_ =
      std::thread([this, make_transport = std::move(make_transport)] { run(make_transport); });
  try {
    started.get();
    hosts_ = all_gather(host_name(), Patience::kPrompt);
  } catch (...) {
    part({});
    throw;
  }
}

MessageCommunicator::~MessageCommunicator() { part({}); }

void MessageCommunicator::leave(std::string_view sentence, bool usage) {
  part({.sentence = std::string(sentence), .usage = usage});
}

// The first farewell holds.
void MessageCommunicator::part(Farewell farewell) {
  {
    const std::lock_guard lock(mutex_);
    if (!farewell_) farewell_ = std::move(farewell);
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

std::future<void> MessageCommunicator::add(std::string name, Patience patience, Begin begin) {
  Job job{.name = std::move(name), .patience = patience, .begin = std::move(begin)};
  std::future<void> future = job.promise.get_future();
  {
    const std::lock_guard lock(mutex_);
    if (failure_) {
      job.promise.set_exception(failure_);
    } else {
      added_.push_back(std::move(job));
    }
  }
  changed_.notify_one();
  return future;
}

std::future<void> MessageCommunicator::start_all_reduce(Values values, Reduction reduction) {
  return add("all-reduce", Patience::kPrompt, [values, reduction](Channel channel) {
    return begin_all_reduce(channel, values, reduction);
  });
}

std::future<void> MessageCommunicator::start_broadcast(std::span<std::byte> bytes, int root,
                                                       Patience patience) {
  return add("broadcast", patience,
             [bytes, root](Channel channel) { return begin_broadcast(channel, bytes, root); });
}

std::future<Gathered> MessageCommunicator::start_all_gather(std::string bytes, Patience patience) {
  return add_gather("all-gather", patience, std::move(bytes), std::nullopt);
}

std::future<Gathered> MessageCommunicator::start_gather(std::string bytes, int root,
                                                        Patience patience) {
  return add_gather("gather", patience, std::move(bytes), root);
}

std::future<Gathered> MessageCommunicator::add_gather(std::string name, Patience patience,
                                                      std::string bytes, std::optional<int> root) {
  auto gathered = std::make_shared<Gathered>();
  std::future<void> done = add(std::move(name), patience,
                               [bytes = std::move(bytes), root, gathered](Channel channel) mutable {
                                 return begin_gather(channel, std::move(bytes), root, gathered);
                               });
  return std::async(std::launch::deferred, [done = std::move(done), gathered]() mutable {
    done.get();
    return std::move(*gathered);
  });
}

std::future<void> MessageCommunicator::start_barrier(Patience patience) {
  return add("barrier", patience, begin_barrier);
}

void MessageCommunicator::run(const TransportFactory& make_transport) {
  try {
    transport_ = make_transport();
    rank_ = transport_->rank();
    size_ = transport_->size();
    description_ = transport_->description();
    signals_.emplace(*transport_, sign_interval(timeout_), clock_.now());
  } catch (...) {
    return started_.set_exception(std::current_exception());
  }
  started_.set_value();
  try {
    serve();
  } catch (...) {
    fail(std::current_exception());
  }
  try {
    end();
  } catch (...) {
    fail(std::current_exception());
  }
  abandoned_.clear();
  signals_.reset();
  transport_.reset();
}

// Until it is time to end, or something goes wrong.
void MessageCommunicator::serve() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      const std::chrono::duration<double> nap(
          std::min(sign_interval(timeout_), RunningClock::kLongestStep / 10));
      if (jobs_.empty()) {
        changed_.wait_for(lock, nap, [this] { return farewell_ || !added_.empty(); });
      }
      if (farewell_ && (!farewell_->sentence.empty() || (jobs_.empty() && added_.empty()))) return;
    }
    take_jobs();
    const double begun = clock_.now();
    signals_->advance(begun);
    if (!advance_jobs() && !jobs_.empty()) rest(clock_.now() - begun);
  }
}

void MessageCommunicator::take_jobs() {
  std::list<Job> added;
  {
    const std::lock_guard lock(mutex_);
    added.swap(added_);
  }
  for (Job& job : added) {
    job.number = collectives_++;
    job.begun = busy_since_ = clock_.now();
    job.collective = job.begin({*transport_, static_cast<int>(job.number % kTags) * 2});
    job.begin = nullptr;
  }
  jobs_.splice(jobs_.end(), added);
}

// Between two looks at messages of which none was complete. A look that took long has moved bytes,
// and the next one will. A sleeper gets its core back sooner than one who offers it to others in a
// loop, who on a busy machine waits for all of them (15 times as long for a small sum).
void MessageCommunicator::rest(double look) {
  constexpr double kMoved = 3e-5;
  constexpr double kSoon = 0.02;
  if (look > kMoved) return;
  sleep_for(std::chrono::microseconds(clock_.now() - busy_since_ < kSoon ? 20 : 100));
}

// Whether one of them is over. Throws if one takes too long.
bool MessageCommunicator::advance_jobs() {
  const double now = clock_.now();
  bool any = false;
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    if (job->collective->advance()) {
      job->promise.set_value();
      job = jobs_.erase(job);
      busy_since_ = now;
      any = true;
    } else {
      require_in_time(*job, now);
      ++job;
    }
  }
  return any;
}

void MessageCommunicator::require_in_time(const Job& job, double now) const {
  if (now - job.begun <= timeout_) return;
  std::vector<int> missing = job.collective->missing();
  if (job.patience == Patience::kWhileAlive) {
    std::erase_if(missing, [&](int rank) { return now - signals_->last_sign(rank) <= timeout_; });
    if (missing.empty()) return;
  }
  throw CommunicationError(overdue(job, std::move(missing), now));
}

std::string MessageCommunicator::overdue(const Job& job, std::vector<int> missing,
                                         double now) const {
  // Of those that are missing, some may just wait, as this rank does, for one that is silent.
  const auto silence = [&](int rank) { return now - signals_->last_sign(rank); };
  const auto is_silent = [&](int rank) { return silence(rank) > timeout_ / 2; };
  const bool silent = std::any_of(missing.begin(), missing.end(), is_silent);
  if (silent) std::erase_if(missing, [&](int rank) { return !is_silent(rank); });
  std::vector<std::string> names;
  for (const int rank : missing) {
    std::string name = fmt::format("rank {}", rank);
    if (static_cast<size_t>(rank) < hosts_.size()) {
      name += " on " + hosts_[static_cast<size_t>(rank)];
    }
    names.push_back(std::move(name));
  }
  return fmt::format(
      "rank {} of {}: {} number {} got no answer within {:.3g} s: {} {} not come and {}; look at "
      "that process and its machine, then start the same command again",
      rank_, size_, job.name, job.number, timeout_, fmt::join(names, ", "),
      names.size() == 1 ? "has" : "have",
      silent ? "gave no sign of life" : "gave signs of life, so it may be slow");
}

void MessageCommunicator::fail(const std::exception_ptr& error) {
  std::list<Job> added;
  {
    const std::lock_guard lock(mutex_);
    failure_ = error;
    added.swap(added_);
  }
  jobs_.splice(jobs_.end(), added);
  for (Job& job : jobs_) job.promise.set_exception(error);
  // Messages may still arrive where theirs are expected.
  abandoned_.splice(abandoned_.end(), jobs_);
}

// Says farewell as soon as the owner has; without failure, when all have.
void MessageCommunicator::end() {
  Farewell farewell;
  bool failed = false;
  {
    std::unique_lock lock(mutex_);
    failed = failure_ != nullptr;
    changed_.wait(lock, [this] { return farewell_.has_value(); });
    farewell = *farewell_;
  }
  const bool orderly = !failed && farewell.sentence.empty();
  if (failed && farewell.sentence.empty()) return;
  signals_->say_farewell(farewell.sentence, farewell.usage);
  // An error has a moment to leave: the others may be gone.
  const double patience = orderly ? timeout_ : 1;
  const double begun = clock_.now();
  while (!signals_->sent() || (orderly && !signals_->staying().empty())) {
    const double now = clock_.now();
    double heard = begun;
    for (const int rank : signals_->staying()) heard = std::max(heard, signals_->last_sign(rank));
    if (now - heard > patience) return;
    sleep_for(std::chrono::microseconds(50));
    signals_->advance(now);
  }
  if (orderly) transport_->finish();
}

}  // namespace skein
