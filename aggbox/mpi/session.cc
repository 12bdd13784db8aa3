#include "aggbox/mpi/session.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "aggbox/aggbox/error.h"
#include "aggbox/mpi/packed.h"

namespace aggbox::mpi {
namespace {

// Bytes of a broadcast; MPI counts them in an int.
constexpr std::size_t kLongestBroadcast = std::size_t{1} << 30;

std::atomic<Session*>& present() {
  static std::atomic<Session*> session{nullptr};
  return session;
}

void say(const std::string& sentence) { fmt::print(stderr, "aggbox: {}\n", sentence); }

}  // namespace

struct Session::Communicator {
  MPI_Comm handle = MPI_COMM_NULL;
  bool ruled_out = false;  // no group, for good
  std::uint64_t calls = 0;
  std::unique_ptr<CommunicatorGroup> group = nullptr;
  std::string failure = "";  // of the group, which is of no use since
};

void Session::begin() noexcept {
  int size = 0;
  if (current() || PMPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS || size < 2) return;
  try {
    present() = new Session;
  } catch (const std::exception& error) {  // alike on all ranks: agree_on_settings()
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) say(fmt::format("collectives stay with MPI: {}", error.what()));
  }
}

Session* Session::current() noexcept { return present(); }

// MPI calls this when a communicator ends.
int Session::forget(MPI_Comm, int, void* attribute, void*) {
  static_cast<Communicator*>(attribute)->handle = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

Session::Session() {
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  agree_on_settings();
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key_, nullptr);
  join(known(MPI_COMM_WORLD));
}

void Session::agree_on_settings() {
  std::array<char, 256> mistake{};
  if (rank_ == 0) {
    try {
      settings_ = settings_from_environment();
    } catch (const std::exception& error) {
      std::string(error.what()).copy(mistake.data(), mistake.size() - 1);
    }
  }
  PMPI_Bcast(mistake.data(), mistake.size(), MPI_CHAR, 0, MPI_COMM_WORLD);
  if (mistake[0]) throw UnavailableError(mistake.data());
  PMPI_Bcast(&settings_, sizeof settings_, MPI_BYTE, 0, MPI_COMM_WORLD);
}

// Groups were joined in an order in which all ranks could come together, one after another; in the
// same order they can be left.
void Session::end() noexcept {
  Session* session = current();
  if (!session) return;
  present() = nullptr;
  for (Communicator& one : session->communicators_) {
    session->leave(one);
    if (one.handle != MPI_COMM_NULL) PMPI_Comm_delete_attr(one.handle, session->key_);
  }
  if (session->settings_.report && session->rank_ == 0) session->report();
  PMPI_Comm_free_keyval(&session->key_);
  delete session;
}

void Session::report() const {
  say(
      fmt::format("in the kernel: {} MPI_Allreduce, {} MPI_Reduce, {} MPI_Bcast, {} MPI_Barrier; "
                  "left to MPI: {}",
                  in_kernel_[kAllReduce].load(), in_kernel_[kReduce].load(),
                  in_kernel_[kBroadcast].load(), in_kernel_[kBarrier].load(), left_to_mpi_.load()));
}

Session::Communicator& Session::known(MPI_Comm communicator) {
  void* attribute = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(communicator, key_, &attribute, &found);
  if (found) return *static_cast<Communicator*>(attribute);
  const bool possible = may_have_group(communicator);
  const std::lock_guard lock(mutex_);
  Communicator& one =
      communicators_.emplace_back(Communicator{.handle = communicator, .ruled_out = !possible});
  PMPI_Comm_set_attr(communicator, key_, &one);
  return one;
}

// All members were there when this session began, so all have this library and its settings.
bool Session::may_have_group(MPI_Comm communicator) const {
  int between_two = 0, size = 0;
  PMPI_Comm_test_inter(communicator, &between_two);
  PMPI_Comm_size(communicator, &size);
  if (between_two || size < 2) return false;
  MPI_Group members, world;
  PMPI_Comm_group(communicator, &members);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  std::vector<int> ranks(static_cast<std::size_t>(size)), in_world(ranks.size());
  for (int rank = 0; rank < size; ++rank) ranks[static_cast<std::size_t>(rank)] = rank;
  PMPI_Group_translate_ranks(members, size, ranks.data(), world, in_world.data());
  PMPI_Group_free(&members);
  PMPI_Group_free(&world);
  for (const int rank : in_world) {
    if (rank == MPI_UNDEFINED) return false;
  }
  return true;
}

void Session::join(Communicator& one) {
  std::string reason;
  one.group = CommunicatorGroup::join(one.handle, settings_, reason);
  if (one.group) return;
  one.ruled_out = true;
  int rank = 0;
  PMPI_Comm_rank(one.handle, &rank);
  if (one.handle == MPI_COMM_WORLD && rank == 0)
    say(fmt::format("collectives stay with MPI: {}", reason));
}

void Session::leave(Communicator& one) {
  if (!one.group) return;
  // Here MPI still gets along with what others wait for; in the group's own farewell it would not.
  if (one.failure.empty() && one.handle != MPI_COMM_NULL) PMPI_Barrier(one.handle);
  one.group.reset();
  one.ruled_out = true;
}

void Session::leave(MPI_Comm communicator) noexcept {
  if (communicator == MPI_COMM_NULL) return;
  void* attribute = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(communicator, key_, &attribute, &found);
  if (!found) return;
  auto* one = static_cast<Communicator*>(attribute);
  leave(*one);
  PMPI_Comm_delete_attr(communicator, key_);
  const std::lock_guard lock(mutex_);
  communicators_.remove_if([&](const Communicator& other) { return &other == one; });
}

Session::Communicator* Session::find(MPI_Comm communicator) {
  if (communicator == MPI_COMM_NULL) return nullptr;
  Communicator& one = known(communicator);
  if (one.ruled_out) return nullptr;
  if (!one.group && ++one.calls >= settings_.first_call_in_kernel) join(one);
  return one.group ? &one : nullptr;
}

std::optional<int> Session::run(Kind kind, MPI_Comm communicator,
                                const std::function<void(CommunicatorGroup&)>& call) noexcept {
  Communicator* one = nullptr;
  try {
    one = find(communicator);
    if (!one) {
      ++left_to_mpi_;
      return std::nullopt;
    }
    if (!one->failure.empty()) return fail(*one, one->failure.c_str());
    call(*one->group);
    ++in_kernel_[kind];
    return MPI_SUCCESS;
  } catch (const std::exception& error) {
    if (one) return fail(*one, error.what());
    say(error.what());
    PMPI_Abort(communicator, 1);
    return MPI_ERR_OTHER;
  }
}

// Some ranks may have their result already, so MPI cannot do the call in the kernel's place.
int Session::fail(Communicator& one, const char* sentence) noexcept {
  if (one.failure.empty()) {
    say(fmt::format("an MPI collective failed: {}", sentence));
    one.failure = sentence;
  }
  // The other ranks of this host wait for this one.
  if (one.group->several_ranks_a_host()) PMPI_Abort(one.handle, 1);
  PMPI_Comm_call_errhandler(one.handle, MPI_ERR_OTHER);
  return MPI_ERR_OTHER;
}

std::optional<Reducible> Session::reducible(int count, MPI_Datatype type, MPI_Op operation) const {
  const std::optional<Reduction> reduction = find_reduction(operation);
  const std::optional<Type> kernel_type = types_.find(type);
  if (count < 1 || !reduction || !kernel_type) return std::nullopt;
  if (!is_exact(*kernel_type, *reduction) &&
      !(settings_.float_sums && may_be_asked_for(*kernel_type, *reduction)))
    return std::nullopt;
  return Reducible{
      .count = count, .type = *kernel_type, .reduction = *reduction, .mpi_operation = operation};
}

std::optional<int> Session::all_reduce(const void* send, void* receive, int count,
                                       MPI_Datatype type, MPI_Op operation,
                                       MPI_Comm communicator) noexcept {
  const std::optional<Reducible> what = reducible(count, type, operation);
  if (!what) {
    ++left_to_mpi_;
    return std::nullopt;
  }
  return run(kAllReduce, communicator, [&](CommunicatorGroup& group) {
    if (send != MPI_IN_PLACE) std::memcpy(receive, send, what->bytes());
    group.all_reduce(*what, receive);
  });
}

std::optional<int> Session::reduce(const void* send, void* receive, int count, MPI_Datatype type,
                                   MPI_Op operation, int root, MPI_Comm communicator) noexcept {
  const std::optional<Reducible> what = reducible(count, type, operation);
  if (!what || root < 0) {
    ++left_to_mpi_;
    return std::nullopt;
  }
  return run(kReduce, communicator, [&](CommunicatorGroup& group) {
    int rank = 0;
    PMPI_Comm_rank(communicator, &rank);
    if (rank == root) {
      if (send != MPI_IN_PLACE) std::memcpy(receive, send, what->bytes());
      group.reduce(*what, receive, root);
      return;
    }
    const auto values = std::make_unique_for_overwrite<std::byte[]>(what->bytes());
    std::memcpy(values.get(), send, what->bytes());
    group.reduce(*what, values.get(), root);
  });
}

// Ranks may describe one message by different types, so only its length decides.
std::optional<int> Session::broadcast(void* values, int count, MPI_Datatype type, int root,
                                      MPI_Comm communicator) noexcept {
  int size = 0;
  if (count < 1 || root < 0 || type == MPI_DATATYPE_NULL ||
      PMPI_Type_size(type, &size) != MPI_SUCCESS || size < 1 ||
      static_cast<std::size_t>(count) * static_cast<std::size_t>(size) > kLongestBroadcast) {
    ++left_to_mpi_;
    return std::nullopt;
  }
  return run(kBroadcast, communicator, [&](CommunicatorGroup& group) {
    int rank = 0;
    PMPI_Comm_rank(communicator, &rank);
    Packed packed(values, count, type, communicator);
    if (rank == root) packed.pack();
    group.broadcast(packed.bytes(), packed.size(), root);
    if (rank != root) packed.unpack();
  });
}

std::optional<int> Session::barrier(MPI_Comm communicator) noexcept {
  return run(kBarrier, communicator, [](CommunicatorGroup& group) { group.barrier(); });
}

}  // namespace aggbox::mpi
