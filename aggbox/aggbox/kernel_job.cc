#include "aggbox/aggbox/kernel_job.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "aggbox/aggbox/error.h"
#include "aggbox/aggbox/latencies.h"
#include "aggbox/aggbox/silent_libbpf.h"
#include "aggbox/bpf/siphash.h"
#include "skeletons/job.skel.h"

namespace aggbox {
namespace {

// A map of elements of T in memory.
template <typename T>
class Mapped {
 public:
  Mapped(const bpf_map* map, std::size_t elements) : bytes_(elements * sizeof(T)) {
    static_assert(sizeof(T) % 8 == 0, "the kernel lays elements out at multiples of 8");
    void* memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
    if (memory == MAP_FAILED)
      throw UnavailableError(
          fmt::format("a map cannot be memory-mapped: {}", std::strerror(errno)));
    elements_ = static_cast<T*>(memory);
  }
  ~Mapped() { ::munmap(elements_, bytes_); }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  T& operator[](std::size_t index) const { return elements_[index]; }

 private:
  T* elements_;
  std::size_t bytes_;
};

std::uint64_t monotonic_nanoseconds() {
  const std::chrono::nanoseconds now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(now.count());
}

using Programs = std::unique_ptr<aggbox_job, decltype(&aggbox_job__destroy)>;

Programs load(const Membership& membership, int interface_index, Hook hook) {
  const SilentLibbpf silent;
  Programs programs(aggbox_job__open(), aggbox_job__destroy);
  if (!programs) throw UnavailableError("the kernel programs cannot be opened");
  auto& settings = *programs->rodata;
  settings.job = membership.job;
  settings.rank = membership.rank;
  settings.ranks = membership.size();
  settings.window = membership.window;
  settings.authenticate_payload = membership.authenticate_payload ? 1 : 0;
  settings.interface = static_cast<std::uint32_t>(interface_index);
  std::memcpy(&settings.key, membership.key.data(), sizeof settings.key);
  const aggbox_key key = {{membership.key[0], membership.key[1]}};
  for (std::uint32_t i = 0; i < AGGBOX_MAX_WORDS; ++i)
    programs->bss->payload_key[i] = aggbox_payload_key(&key, i);
  for (std::size_t i = 0; i < membership.members.size(); ++i) {
    std::memcpy(settings.members[i].mac, membership.members[i].mac.data(), 6);
    settings.members[i].address = membership.members[i].address;
  }
  bpf_map__set_max_entries(programs->maps.slots, membership.window);
  bpf_map__set_max_entries(programs->maps.results, membership.window * membership.size());
  bpf_map__set_max_entries(programs->maps.result_locks, membership.window * membership.size());
  bpf_map__set_max_entries(programs->maps.received, membership.window * membership.size());
  bpf_map__set_max_entries(programs->maps.received_locks, membership.window * membership.size());
  bpf_map__set_max_entries(programs->maps.acknowledged, membership.window);
  bpf_map__set_max_entries(programs->maps.copies, membership.size() - 1);
  // Only what the hook needs: the verifier takes its time.
  const auto& all = programs->progs;
  for (bpf_program* program : {all.aggbox_contribution, all.aggbox_result, all.aggbox_broadcast,
                               all.aggbox_acknowledgment, all.aggbox_address_copy})
    bpf_program__set_autoload(program, hook == Hook::kFrames);
  for (bpf_program* program : {all.aggbox_contributions, all.aggbox_results, all.aggbox_broadcasts,
                               all.aggbox_acknowledgments})
    bpf_program__set_autoload(program, hook == Hook::kSuperPackets);
  if (aggbox_job__load(programs.get()) != 0) {
    throw UnavailableError(fmt::format(
        "the kernel refused the programs of a job: {}; `aggbox doctor` says what is missing",
        std::strerror(errno)));
  }
  return programs;
}

}  // namespace

struct KernelJob::State {
  State(const Membership& members, int interface_index, Hook at)
      : membership(members),
        hook(at),
        programs(load(members, interface_index, at)),
        control(programs->maps.control, 1),
        results(programs->maps.results, members.window * members.size()),
        received(programs->maps.received, members.window * members.size()),
        acknowledged(programs->maps.acknowledged, members.window),
        reads(programs->maps.reads, AGGBOX_MAX_RANKS),
        wake_ups(ring_buffer__new(
                     bpf_map__fd(programs->maps.wake_ups),
                     [](void*, void*, std::size_t) { return 0; }, nullptr, nullptr),
                 ring_buffer__free) {
    if (!wake_ups) throw UnavailableError("the ring buffer of wake-ups cannot be opened");
  }

  Membership membership;
  Hook hook;
  Programs programs;
  Mapped<aggbox_control> control;
  Mapped<aggbox_result> results;
  Mapped<aggbox_received> received;
  Mapped<aggbox_acknowledged> acknowledged;
  Mapped<aggbox_read> reads;
  std::unique_ptr<ring_buffer, decltype(&ring_buffer__free)> wake_ups;
  std::uint64_t results_at_last_wait = 0;
};

KernelJob::KernelJob(const Membership& membership, int interface_index, Hook hook)
    : state_(std::make_unique<State>(membership, interface_index, hook)) {
  state_->control[0].last_collective = monotonic_nanoseconds();
  const std::uint32_t slots = membership.window;
  for (std::uint32_t owner = 0; owner < membership.size(); ++owner) {
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      state_->results[owner * slots + slot].next_sequence = slot;
      state_->received[owner * slots + slot].next_sequence = slot;
      state_->received[owner * slots + slot].free_for = slot;
    }
  }
  for (std::uint32_t copy = 0; copy + 1 < membership.size() && hook == Hook::kFrames; ++copy) {
    bpf_devmap_val value = {};
    value.ifindex = static_cast<std::uint32_t>(interface_index);
    value.bpf_prog.fd = bpf_program__fd(state_->programs->progs.aggbox_address_copy);
    if (bpf_map_update_elem(bpf_map__fd(state_->programs->maps.copies), &copy, &value, 0) != 0) {
      throw UnavailableError(
          fmt::format("the driver cannot send what a program redirects: {}", std::strerror(errno)));
    }
  }
}

KernelJob::~KernelJob() = default;

int KernelJob::program(aggbox_type type) const {
  const auto& programs = state_->programs->progs;
  const bool frames = state_->hook == Hook::kFrames;
  const auto at_hook = [frames](const bpf_program* frame, const bpf_program* super_packet) {
    return bpf_program__fd(frames ? frame : super_packet);
  };
  switch (type) {
    case AGGBOX_CONTRIBUTION:
      return at_hook(programs.aggbox_contribution, programs.aggbox_contributions);
    case AGGBOX_VOID:
    case AGGBOX_RESULT:
      return at_hook(programs.aggbox_result, programs.aggbox_results);
    case AGGBOX_BROADCAST:
      return at_hook(programs.aggbox_broadcast, programs.aggbox_broadcasts);
    default:
      return at_hook(programs.aggbox_acknowledgment, programs.aggbox_acknowledgments);
  }
}

int KernelJob::program(aggbox_request request) const {
  const auto& programs = state_->programs->progs;
  return bpf_program__fd(request == AGGBOX_SPREAD ? programs.aggbox_spread
                                                  : programs.aggbox_own_contributions);
}

const std::uint64_t* KernelJob::result(std::uint32_t owner, std::uint64_t sequence) const {
  const std::uint32_t window = state_->membership.window;
  aggbox_result& slot = state_->results[owner * window + sequence % window];
  const auto* next = reinterpret_cast<const std::uint64_t*>(&slot.next_sequence);
  return __atomic_load_n(next, __ATOMIC_ACQUIRE) == sequence + window
             ? reinterpret_cast<const std::uint64_t*>(slot.values)
             : nullptr;
}

void KernelJob::expect_acknowledgments(std::uint64_t sequence) {
  aggbox_acknowledged& chunk = state_->acknowledged[sequence % state_->membership.window];
  chunk.ranks = std::uint64_t{1} << state_->membership.rank;
  __atomic_store_n(&chunk.sequence, sequence, __ATOMIC_RELEASE);
}

void KernelJob::note_collective(std::chrono::nanoseconds duration, std::uint64_t retransmissions) {
  aggbox_control& control = state_->control[0];
  count_latency(std::span<std::uint64_t, AGGBOX_LATENCIES>(
                    reinterpret_cast<std::uint64_t*>(control.latencies), AGGBOX_LATENCIES),
                duration);
  __atomic_store_n(&control.last_collective, monotonic_nanoseconds(), __ATOMIC_RELAXED);
  __atomic_store_n(&control.retransmissions, retransmissions, __ATOMIC_RELAXED);
}

void KernelJob::set_multicast(bool on) {
  __atomic_store_n(&state_->control[0].multicast, on ? 1 : 0, __ATOMIC_SEQ_CST);
}

void KernelJob::spread_to(std::uint64_t ranks) {
  __atomic_store_n(&state_->control[0].spread_to, ranks, __ATOMIC_SEQ_CST);
}

std::uint64_t KernelJob::acknowledged(std::uint64_t sequence) const {
  return __atomic_load_n(&state_->acknowledged[sequence % state_->membership.window].ranks,
                         __ATOMIC_ACQUIRE);
}

const std::uint64_t* KernelJob::received(std::uint32_t root, std::uint64_t sequence) const {
  const std::uint32_t window = state_->membership.window;
  aggbox_received& place = state_->received[root * window + sequence % window];
  return __atomic_load_n(&place.next_sequence, __ATOMIC_ACQUIRE) == sequence + window
             ? reinterpret_cast<const std::uint64_t*>(place.values)
             : nullptr;
}

void KernelJob::release(std::uint32_t root, std::uint64_t sequence) {
  const std::uint32_t window = state_->membership.window;
  __atomic_store_n(&state_->received[root * window + sequence % window].free_for, sequence + window,
                   __ATOMIC_RELEASE);
  __atomic_store_n(&state_->reads[root].here, sequence + 1, __ATOMIC_RELEASE);
}

std::uint64_t KernelJob::read_here(std::uint32_t root) const {
  return __atomic_load_n(&state_->reads[root].here, __ATOMIC_ACQUIRE);
}

std::uint64_t KernelJob::read_by(std::uint32_t rank) const {
  return __atomic_load_n(&state_->reads[rank].there, __ATOMIC_ACQUIRE);
}

void KernelJob::wait(std::uint64_t results, std::chrono::milliseconds most) {
  aggbox_control& control = state_->control[0];
  const std::uint64_t wake_at = state_->results_at_last_wait + results;
  __atomic_store_n(&control.wake_at, wake_at, __ATOMIC_SEQ_CST);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (__atomic_load_n(&control.results, __ATOMIC_SEQ_CST) < wake_at) {
    ring_buffer__poll(state_->wake_ups.get(), static_cast<int>(most.count()));
  }
  state_->results_at_last_wait = __atomic_load_n(&control.results, __ATOMIC_ACQUIRE);
}

std::uint64_t KernelJob::events(aggbox_event event) const {
  return __atomic_load_n(&state_->programs->bss->events[event], __ATOMIC_RELAXED);
}

std::uint64_t KernelJob::seen(std::uint64_t sequence) const {
  aggbox_slot slot = {};
  const std::uint32_t window = state_->membership.window;
  const auto index = static_cast<std::uint32_t>(sequence % window);
  bpf_map_lookup_elem(bpf_map__fd(state_->programs->maps.slots), &index, &slot);
  const aggbox_round& round = slot.rounds[sequence / window % 2];
  return round.sequence == sequence ? round.seen : 0;
}

}  // namespace aggbox
