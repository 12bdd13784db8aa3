#include "aggbox/aggbox/group.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdio>
#include <optional>
#include <random>
#include <vector>

#include "aggbox/aggbox/broadcaster.h"
#include "aggbox/aggbox/dispatcher.h"
#include "aggbox/aggbox/doctor.h"
#include "aggbox/aggbox/error.h"
#include "aggbox/aggbox/float_order.h"
#include "aggbox/aggbox/float_sum.h"
#include "aggbox/aggbox/integer_exchange.h"
#include "aggbox/aggbox/interface.h"
#include "aggbox/aggbox/kernel_job.h"
#include "aggbox/aggbox/pipeline.h"
#include "aggbox/aggbox/rendezvous.h"
#include "aggbox/aggbox/tcp_path.h"
#include "aggbox/aggbox/worker.h"

namespace aggbox {
namespace {

void check(const GroupOptions& options) {
  if (options.size < 2 || options.size > AGGBOX_MAX_RANKS) {
    throw Error(fmt::format("a group of {} ranks is not possible; expected 2 to {}", options.size,
                            AGGBOX_MAX_RANKS));
  }
  if (options.rank >= options.size) {
    throw Error(fmt::format("rank {} is not one of {} ranks; expected 0 to {}", options.rank,
                            options.size, options.size - 1));
  }
  if (options.window < 2 || options.window > AGGBOX_MAX_WINDOW ||
      !std::has_single_bit(options.window)) {
    throw Error(fmt::format("window {} is not possible; expected a power of two from 2 to {}",
                            options.window, AGGBOX_MAX_WINDOW));
  }
}

void check_root(std::uint32_t root, std::uint32_t size) {
  if (root < size) return;
  throw Error(
      fmt::format("root {} is not one of {} ranks; expected 0 to {}", root, size, size - 1));
}

void check_parts(std::size_t values, std::uint32_t size) {
  if (values % size == 0) return;
  throw Error(fmt::format("{} are not {} equal parts, one a rank", values, size));
}

template <typename T>
std::span<T> span_of(const Values& values) {
  return {static_cast<T*>(values.data), values.size};
}

// What keeps this host from the kernel path, as far as that can be told beforehand.
std::string obstacle(const GroupOptions& options, const Interface& interface) {
  if (options.path == Path::kTcp) return "TCP was asked for";
  if (const std::string fault = too_small_mtu(interface); !fault.empty()) return fault;
  return first_fault();
}

// The sentence of an UnavailableError of `body`; empty where it has none.
template <typename Body>
std::string fault_of(Body body) {
  try {
    body();
  } catch (const UnavailableError& error) {
    return error.what();
  }
  return "";
}

std::uint64_t random_word() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

}  // namespace

struct Group::State {
  explicit State(const GroupOptions& settings)
      : options(settings),
        interface(find_interface(settings.interface)),
        rendezvous({.coordinator = settings.coordinator,
                    .rank = settings.rank,
                    .size = settings.size,
                    .self = interface.member,
                    .timeout = settings.join_timeout}) {
    Membership choice = {.authenticate_payload = settings.authenticate_payload,
                         .multicast = settings.multicast,
                         .window = settings.window};
    std::string fault = obstacle(settings, interface);
    choice.job = static_cast<std::uint32_t>(random_word());
    choice.key = {random_word(), random_word()};
    if (settings.rank == 0 && fault.empty()) fault = fault_of([&] { choose_job(choice); });
    const Membership membership = rendezvous.agree(choice);
    if (fault.empty()) fault = fault_of([&] { load(membership); });
    // All go the same way. With no fault, packets that come from now on meet the job's programs.
    const std::string reason = rendezvous.first_sentence(fault, settings.join_timeout);
    if (reason.empty()) {
      if (membership.multicast && membership.size() > 2) try_multicast(membership);
    } else if (settings.path == Path::kKernel) {
      throw UnavailableError(reason);
    } else {
      go_over_tcp(membership, reason);
    }
  }

  void load(const Membership& membership) {
    if (options.rank != 0) entry.emplace(options.interface, membership.job);
    if (!entry->claimed()) {
      throw UnavailableError(fmt::format(
          "the place of job {:08x} on '{}' is taken by another job; start the group again",
          membership.job, options.interface));
    }
    kernel.emplace(membership, interface.index, entry->hook());
    for (const auto type : {AGGBOX_VOID, AGGBOX_CONTRIBUTION, AGGBOX_RESULT, AGGBOX_BROADCAST,
                            AGGBOX_ACKNOWLEDGMENT}) {
      entry->enter(type, kernel->program(type));
    }
    for (const auto request : {AGGBOX_OWN_CONTRIBUTION, AGGBOX_SPREAD})
      entry->enter(request, kernel->program(request));
    broadcaster.emplace(membership, *kernel,
                        Broadcaster::Options{.timeout = options.timeout,
                                             .check_peers = [this] { check_peers(); },
                                             .while_waiting = options.while_waiting});
    pipeline.emplace(membership, *kernel,
                     Pipeline::Options{.timeout = options.timeout,
                                       .check_peers = [this] { check_peers(); },
                                       .while_waiting = options.while_waiting});
  }

  void go_over_tcp(const Membership& membership, const std::string& reason) {
    if (options.rank == 0 && options.path != Path::kTcp)
      std::fputs(fmt::format("aggbox: the group goes over TCP: {}\n", reason).c_str(), stderr);
    pipeline.reset();
    broadcaster.reset();
    kernel.reset();
    entry.reset();
    tcp.emplace(membership, rendezvous,
                TcpMesh::Options{.join_timeout = options.join_timeout,
                                 .timeout = options.timeout,
                                 .while_waiting = options.while_waiting});
  }

  Exchanger& exchanger() {
    if (tcp) return *tcp;
    return *pipeline;
  }

  void broadcast(std::span<std::uint8_t> bytes, std::uint32_t root) {
    if (tcp) {
      tcp->broadcast(bytes, root);
    } else {
      broadcaster->run(bytes, root);
    }
  }

  // Every rank sends to all; if one has to send again, to those that did not get it, the network
  // does not carry it, and none does so any more.
  void try_multicast(const Membership& membership) {
    multicast = join_multicast(interface, membership.job);
    rendezvous.meet(options.join_timeout);  // all take such packets
    kernel->set_multicast(true);
    std::array<std::uint8_t, 8> bytes = {};
    // Longer than a rank may be kept from the processor: what comes late is not lost.
    constexpr std::chrono::milliseconds kPatience{50};
    for (std::uint32_t root = 0; root < membership.size(); ++root)
      broadcaster->run(bytes, root, kPatience);
    std::int32_t lost = broadcaster->retransmissions() > 0 ? 1 : 0;
    kernel->set_multicast(false);
    reduce(Values(std::span(&lost, 1)), Reduction::kMax, {});
    replicates = lost == 0;
    kernel->set_multicast(replicates);
  }

  void choose_job(Membership& choice) {
    for (std::uint32_t tries = 0; tries < 16 * DispatcherEntry::kEntries; ++tries) {
      choice.job = static_cast<std::uint32_t>(random_word());
      entry.emplace(options.interface, choice.job);
      if (entry->claimed()) return;
    }
    throw UnavailableError(fmt::format("{} jobs run on '{}', and no more are possible",
                                       DispatcherEntry::kEntries, options.interface));
  }

  void reduce(const Values& values, Reduction reduction, const FloatOptions& floats) {
    switch (values.type) {
      case Type::kInt32:
        return reduce_integers(span_of<std::int32_t>(values), reduction);
      case Type::kInt64:
        return reduce_integers(span_of<std::int64_t>(values), reduction);
      case Type::kUint32:
        return reduce_integers(span_of<std::uint32_t>(values), reduction);
      case Type::kUint64:
        return reduce_integers(span_of<std::uint64_t>(values), reduction);
      case Type::kFloat32:
        return reduce_floats(span_of<float>(values), reduction, floats);
      case Type::kBfloat16: {
        std::vector<float> wide = widened(span_of<Bfloat16>(values));
        reduce_floats(wide, reduction, floats);
        narrow(wide, span_of<Bfloat16>(values));
      }
    }
  }

  template <typename T>
  void reduce_integers(std::span<T> values, Reduction reduction) {
    IntegerExchange<T> exchange(values, reduction);
    exchanger().run(exchange);
  }

  void reduce_floats(std::span<float> values, Reduction reduction, const FloatOptions& floats) {
    if (reduction == Reduction::kMin || reduction == Reduction::kMax) {
      reduce_integers(to_order(values), reduction);
      from_order(values);
    } else if (reduction == Reduction::kSum || reduction == Reduction::kMean) {
      if (!floats.residual.empty() && floats.residual.size() != values.size()) {
        throw Error(fmt::format("a residual of {} values is of no use to {}; expected as many",
                                floats.residual.size(), values.size()));
      }
      sum_floats(exchanger(), options.rank, options.size, values,
                 {.factor = reduction == Reduction::kMean ? 1.0 / options.size : 1,
                  .lanes = floats.lanes,
                  .residual = floats.residual,
                  .seed = float_sums++});
    } else {
      throw Error("floats have no bit operations; expected sum, mean, min, max");
    }
  }

  void check_peers() const {
    if (const auto rank = rendezvous.departed())
      throw PeerError(fmt::format("rank {} has left the group", *rank));
  }

  // In order with those that were started before.
  void run(std::function<void()> collective) {
    if (worker.idle() || worker.is_this_thread()) {
      timed(collective);
    } else {
      worker.start([this, &collective] { timed(collective); }).get();
    }
  }

  void timed(const std::function<void()>& collective) {
    const auto begin = std::chrono::steady_clock::now();
    collective();
    if (!kernel) return;
    kernel->note_collective(std::chrono::steady_clock::now() - begin, retransmissions());
  }

  std::uint64_t retransmissions() const {
    return pipeline->retransmissions() + broadcaster->retransmissions();
  }

  GroupOptions options;
  Interface interface;
  Rendezvous rendezvous;
  Descriptor multicast;
  bool replicates = false;
  std::uint64_t float_sums = 0;  // so far; the same on all ranks
  std::optional<DispatcherEntry> entry;
  std::optional<KernelJob> kernel;
  std::optional<Pipeline> pipeline;
  std::optional<Broadcaster> broadcaster;
  std::optional<TcpPath> tcp;  // instead of the four before
  Worker worker;
};

Group::Group(const GroupOptions& options) {
  check(options);
  state_ = std::make_unique<State>(options);
}

Group::~Group() {
  try {
    state_->run([] {});
    state_->rendezvous.meet(state_->options.timeout);
  } catch (const std::exception&) {  // a rank has left already; this one leaves, too
  }
}

std::uint32_t Group::rank() const { return state_->options.rank; }
std::uint32_t Group::size() const { return state_->options.size; }
Path Group::path() const { return state_->tcp ? Path::kTcp : Path::kKernel; }
bool Group::multicast() const { return state_->replicates; }

void Group::all_reduce(Values values, Reduction reduction, const FloatOptions& floats) {
  state_->run([&] { state_->reduce(values, reduction, floats); });
}

void Group::reduce(Values values, std::uint32_t root, Reduction reduction,
                   const FloatOptions& floats) {
  check_root(root, size());
  all_reduce(values, reduction, floats);
}

void Group::reduce_scatter(Values values, Reduction reduction, const FloatOptions& floats) {
  check_parts(values.size, size());
  all_reduce(values, reduction, floats);
}

void Group::all_gather(std::span<std::uint8_t> bytes) {
  check_parts(bytes.size(), size());
  const std::size_t part = bytes.size() / size();
  state_->run([&] {
    for (std::uint32_t root = 0; root < size(); ++root)
      state_->broadcast(bytes.subspan(root * part, part), root);
  });
}

Handle Group::start(std::function<void()> collectives) {
  return Handle(state_->worker.start(std::move(collectives)));
}

void Group::broadcast(std::span<std::uint8_t> bytes, std::uint32_t root) {
  check_root(root, size());
  state_->run([&] { state_->broadcast(bytes, root); });
}

void Group::barrier() {
  std::int32_t nothing = 0;
  all_reduce(std::span(&nothing, 1));
}

void Group::abandon() {
  state_->rendezvous.end();
  if (state_->tcp) state_->tcp->end();
  state_->run([] {});  // after all that was started
}

Counters Group::counters() const {
  if (!state_->kernel) return {};
  const KernelJob& kernel = *state_->kernel;
  Counters counters = {.added = kernel.events(AGGBOX_ADDED) + kernel.events(AGGBOX_COMPLETED),
                       .completed = kernel.events(AGGBOX_COMPLETED),
                       .repeated = kernel.events(AGGBOX_REPEATED),
                       .stored = kernel.events(AGGBOX_STORED),
                       .duplicates = kernel.events(AGGBOX_DUPLICATE),
                       .stale = kernel.events(AGGBOX_STALE),
                       .retransmissions = state_->retransmissions()};
  for (const auto event : {AGGBOX_EARLY, AGGBOX_MISMATCH, AGGBOX_MALFORMED, AGGBOX_WRONG_JOB,
                           AGGBOX_WRONG_SOURCE, AGGBOX_FORGED}) {
    counters.rejected += kernel.events(event);
  }
  return counters;
}

}  // namespace aggbox
