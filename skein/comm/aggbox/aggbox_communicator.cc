#include "skein/comm/aggbox/aggbox_communicator.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "aggbox/aggbox/error.h"

namespace skein {
namespace {

// Long enough for the word of a rank that has ended to come, after its links have.
constexpr std::chrono::seconds kForAWord{2};

}  // namespace

AggboxCommunicator::AggboxCommunicator(std::unique_ptr<Communicator> messages,
                                       std::unique_ptr<aggbox::Group> group, std::string interface)
    : messages_(std::move(messages)), group_(std::move(group)), interface_(std::move(interface)) {}

// When messages fail, sums on their way end, too: the caller is about to take their memory away.
template <typename T>
std::future<T> AggboxCommunicator::watched(std::future<T> done) {
  return std::async(std::launch::deferred, [this, done = std::move(done)]() mutable {
    try {
      return done.get();
    } catch (const CommunicationError&) {
      group_->abandon();
      throw;
    }
  });
}

std::string AggboxCommunicator::description() const {
  return fmt::format("AggBox on {} for gradients, {} for the rest", interface_,
                     messages_->description());
}

std::future<void> AggboxCommunicator::start_all_reduce(Values values, Reduction reduction) {
  const auto* floats = std::get_if<std::span<float>>(&values);
  if (floats == nullptr || reduction != Reduction::kSum) {
    return watched(messages_->start_all_reduce(values, reduction));
  }
  auto handle = std::make_shared<aggbox::Handle>(
      group_->start([this, floats = *floats] { group_->all_reduce(floats); }));
  // The group's own thread works meanwhile; what went wrong is told by who waits.
  return std::async(std::launch::deferred, [this, handle, number = ++sums_] {
    try {
      handle->wait();
    } catch (const aggbox::Error& error) {
      fail(number, error.what());
    }
  });
}

// A rank that has ended with an error has said so to the others by messages, or is about to.
void AggboxCommunicator::fail(int64_t number, const std::string& reason) {
  group_->abandon();
  std::future<void> word = messages_->start_barrier(Patience::kWhileAlive);
  if (word.wait_for(kForAWord) == std::future_status::ready) {
    try {
      word.get();
    } catch (const EndedByAnotherRank&) {
      throw;
    } catch (const CommunicationError&) {  // nothing better than what AggBox says
    }
  }
  throw CommunicationError(fmt::format("sum {} of floats in the kernel: {}", number, reason));
}

std::future<void> AggboxCommunicator::start_broadcast(std::span<std::byte> bytes, int root,
                                                      Patience patience) {
  return watched(messages_->start_broadcast(bytes, root, patience));
}

std::future<Gathered> AggboxCommunicator::start_all_gather(std::string bytes, Patience patience) {
  return watched(messages_->start_all_gather(std::move(bytes), patience));
}

std::future<Gathered> AggboxCommunicator::start_gather(std::string bytes, int root,
                                                       Patience patience) {
  return watched(messages_->start_gather(std::move(bytes), root, patience));
}

std::future<void> AggboxCommunicator::start_barrier(Patience patience) {
  return watched(messages_->start_barrier(patience));
}

void AggboxCommunicator::leave(std::string_view sentence, bool usage) {
  messages_->leave(sentence, usage);
  group_->abandon();
}

}  // namespace skein
