#include "aggbox/mpi/communicator_group.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <cstring>
#include <optional>

#include "aggbox/aggbox/environment.h"
#include "aggbox/aggbox/error.h"
#include "aggbox/aggbox/interface.h"
#include "aggbox/aggbox/reserved_port.h"
#include "aggbox/bpf/wire.h"

namespace aggbox::mpi {
namespace {

constexpr std::size_t kTextSize = 256;
using Text = std::array<char, kTextSize>;
// Of a call that must give its own MPI messages a chance.
constexpr int kProbes = 8;

Text text_of(const std::string& sentence) {
  Text text{};
  sentence.copy(text.data(), kTextSize - 1);
  return text;
}

// What a rank tells all others of its host.
struct Place {
  Member member = {};
  Text fault{};  // empty: AggBox can run here
};

Place examine_place(std::string& interface) {
  Place place;
  try {
    interface = usable_interface();
    place.member = find_interface(interface).member;
  } catch (const std::exception& error) {
    std::array<char, MPI_MAX_PROCESSOR_NAME + 1> host{};
    int length = 0;
    PMPI_Get_processor_name(host.data(), &length);
    place.fault = text_of(fmt::format("host {}: {}", host.data(), error.what()));
  }
  return place;
}

// Number of the host of each rank, in the order of their first ranks.
std::vector<int> number_hosts(const std::vector<Place>& places) {
  std::vector<int> numbers;
  std::vector<Member> hosts;
  for (const Place& place : places) {
    const auto found = std::find_if(hosts.begin(), hosts.end(), [&](const Member& host) {
      return host.address == place.member.address && host.mac == place.member.mac;
    });
    numbers.push_back(static_cast<int>(found - hosts.begin()));
    if (found == hosts.end()) hosts.push_back(place.member);
  }
  return numbers;
}

std::string first_fault_of(const std::vector<Place>& places) {
  for (const Place& place : places) {
    if (place.fault[0]) return place.fault.data();
  }
  return "";
}

// The sentence of the lowest rank that has one; empty where none has. Collective.
std::string first_sentence(MPI_Comm communicator, int rank, const std::string& sentence) {
  const int own = sentence.empty() ? INT_MAX : rank;
  int first = INT_MAX;
  PMPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, communicator);
  if (first == INT_MAX) return "";
  Text text = text_of(sentence);
  PMPI_Bcast(text.data(), kTextSize, MPI_CHAR, first, communicator);
  return text.data();
}

// What this rank owes others may need MPI to go on, as the rest of a long message does.
void let_mpi_work() {
  for (int probe = 0; probe < kProbes; ++probe) {
    int found = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
  }
}

}  // namespace

std::size_t Reducible::bytes() const {
  const bool wide = type == Type::kInt64 || type == Type::kUint64;
  return static_cast<std::size_t>(count) * (wide ? 8 : 4);
}

MPI_Datatype Reducible::mpi_type() const {
  switch (type) {
    case Type::kInt32:
      return MPI_INT32_T;
    case Type::kInt64:
      return MPI_INT64_T;
    case Type::kUint32:
      return MPI_UINT32_T;
    case Type::kUint64:
      return MPI_UINT64_T;
    case Type::kFloat32:
      return MPI_FLOAT;
    case Type::kBfloat16:
      break;
  }
  return MPI_DATATYPE_NULL;  // no type of MPI's
}

std::unique_ptr<CommunicatorGroup> CommunicatorGroup::join(MPI_Comm communicator,
                                                           const Settings& settings,
                                                           std::string& reason) {
  std::unique_ptr<CommunicatorGroup> joined(new CommunicatorGroup);
  int size = 0;
  PMPI_Comm_size(communicator, &size);
  PMPI_Comm_rank(communicator, &joined->rank_);
  joined->communicator_ = communicator;

  std::string interface;
  const Place own = examine_place(interface);
  std::vector<Place> places(static_cast<std::size_t>(size));
  PMPI_Allgather(&own, sizeof own, MPI_BYTE, places.data(), sizeof own, MPI_BYTE, communicator);
  reason = first_fault_of(places);
  if (!reason.empty()) return nullptr;

  joined->host_of_ = number_hosts(places);
  std::vector<int> ranks_of(places.size(), 0);
  for (const int host : joined->host_of_)
    joined->rank_on_host_.push_back(ranks_of[static_cast<std::size_t>(host)]++);
  const int hosts = *std::max_element(joined->host_of_.begin(), joined->host_of_.end()) + 1;
  if (hosts == 1) reason = "all ranks are on one host, where MPI needs no network";
  if (hosts > AGGBOX_MAX_RANKS)
    reason =
        fmt::format("there are {} hosts; at most {} can be in a group", hosts, AGGBOX_MAX_RANKS);
  if (!reason.empty()) return nullptr;
  const int host = joined->host_of_[static_cast<std::size_t>(joined->rank_)];
  if (hosts < size) PMPI_Comm_split(communicator, host, joined->rank_, &joined->host_);

  std::optional<ReservedPort> port;
  std::string failure;
  int number = 0;
  try {
    if (joined->rank_ == 0) number = port.emplace(own.member.address).number();
  } catch (const Error& error) {
    failure = error.what();
  }
  PMPI_Bcast(&number, 1, MPI_INT, 0, communicator);
  Text address{};
  in_addr coordinator{.s_addr = places[0].member.address};
  ::inet_ntop(AF_INET, &coordinator, address.data(), kTextSize);
  try {
    if (joined->leads() && number != 0) {
      joined->group_ = std::make_unique<Group>(
          GroupOptions{.interface = interface,
                       .coordinator = fmt::format("{}:{}", address.data(), number),
                       .rank = static_cast<std::uint32_t>(host),
                       .size = static_cast<std::uint32_t>(hosts),
                       .timeout = std::chrono::seconds(settings.timeout_seconds),
                       .join_timeout = std::chrono::seconds(30),
                       .while_waiting = let_mpi_work,
                       .path = Path::kKernel});
    }
  } catch (const std::exception& error) {
    failure = error.what();
  }
  reason = first_sentence(communicator, joined->rank_, failure);
  if (!reason.empty()) return nullptr;
  return joined;
}

CommunicatorGroup::~CommunicatorGroup() {
  if (host_ != MPI_COMM_NULL) PMPI_Comm_free(&host_);
}

void CommunicatorGroup::all_reduce(const Reducible& what, void* values) {
  sum_at_leaders(what, values);
  if (several_ranks_a_host()) PMPI_Bcast(values, what.count, what.mpi_type(), 0, host_);
}

void CommunicatorGroup::reduce(const Reducible& what, void* values, int root) {
  sum_at_leaders(what, values);
  const auto to = static_cast<std::size_t>(root), own = static_cast<std::size_t>(rank_);
  if (host_of_[own] != host_of_[to] || rank_on_host_[to] == 0) return;
  if (leads()) PMPI_Send(values, what.count, what.mpi_type(), rank_on_host_[to], 0, host_);
  if (own == to) PMPI_Recv(values, what.count, what.mpi_type(), 0, 0, host_, MPI_STATUS_IGNORE);
}

void CommunicatorGroup::sum_at_leaders(const Reducible& what, void* values) {
  if (several_ranks_a_host()) {
    PMPI_Reduce(leads() ? MPI_IN_PLACE : values, leads() ? values : nullptr, what.count,
                what.mpi_type(), what.mpi_operation, 0, host_);
  }
  if (!leads()) return;
  group_->all_reduce(Values(what.type, values, static_cast<std::size_t>(what.count)),
                     what.reduction);
}

void CommunicatorGroup::broadcast(void* bytes, std::size_t size, int root) {
  const auto from = static_cast<std::size_t>(root), own = static_cast<std::size_t>(rank_);
  const bool with_root = host_of_[own] == host_of_[from];
  if (with_root) from_root_to_its_host(bytes, size, root);
  if (leads()) {
    group_->broadcast({static_cast<std::uint8_t*>(bytes), size},
                      static_cast<std::uint32_t>(host_of_[from]));
  }
  if (several_ranks_a_host() && !with_root)
    PMPI_Bcast(bytes, static_cast<int>(size), MPI_BYTE, 0, host_);
}

void CommunicatorGroup::from_root_to_its_host(void* bytes, std::size_t size, int root) {
  if (!several_ranks_a_host()) return;
  PMPI_Bcast(bytes, static_cast<int>(size), MPI_BYTE, rank_on_host_[static_cast<std::size_t>(root)],
             host_);
}

void CommunicatorGroup::barrier() {
  if (several_ranks_a_host()) PMPI_Barrier(host_);
  if (leads()) group_->barrier();
  if (several_ranks_a_host()) PMPI_Barrier(host_);
}

}  // namespace aggbox::mpi
