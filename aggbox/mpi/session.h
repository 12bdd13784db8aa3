// One run of an MPI program, from MPI_Init to MPI_Finalize: which of its calls the kernel does.
//
// Every rank must decide alike, or they would part. So decisions rest on what MPI makes alike on
// all ranks of a communicator: the operation, the type, the count, the bytes of a broadcast, the
// communicator, and how many such calls it has seen; and on what was agreed by MPI.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>

#include "aggbox/mpi/communicator_group.h"
#include "aggbox/mpi/mpi.h"
#include "aggbox/mpi/settings.h"
#include "aggbox/mpi/types.h"

namespace aggbox::mpi {

class Session {
 public:
  // After MPI_Init, on all ranks. AggBox is in the program until end().
  static void begin() noexcept;
  // Before MPI_Finalize, on all ranks.
  static void end() noexcept;
  // Null before and after.
  static Session* current() noexcept;

  // The result code of MPI where the kernel did the call; nothing where MPI has to.
  std::optional<int> all_reduce(const void* send, void* receive, int count, MPI_Datatype type,
                                MPI_Op operation, MPI_Comm communicator) noexcept;
  std::optional<int> reduce(const void* send, void* receive, int count, MPI_Datatype type,
                            MPI_Op operation, int root, MPI_Comm communicator) noexcept;
  std::optional<int> broadcast(void* values, int count, MPI_Datatype type, int root,
                               MPI_Comm communicator) noexcept;
  std::optional<int> barrier(MPI_Comm communicator) noexcept;

  // Before MPI_Comm_free or MPI_Comm_disconnect, on all ranks.
  void leave(MPI_Comm communicator) noexcept;

 private:
  struct Communicator;
  enum Kind { kAllReduce, kReduce, kBroadcast, kBarrier, kKinds };

  Session();
  static int forget(MPI_Comm communicator, int key, void* attribute, void* unused);
  void agree_on_settings();
  std::optional<Reducible> reducible(int count, MPI_Datatype type, MPI_Op operation) const;
  // The communicator's group, if this call is one for it.
  Communicator* find(MPI_Comm communicator);
  Communicator& known(MPI_Comm communicator);
  bool may_have_group(MPI_Comm communicator) const;
  void join(Communicator& one);
  void leave(Communicator& one);
  // Does a call, or lets MPI do it.
  std::optional<int> run(Kind kind, MPI_Comm communicator,
                         const std::function<void(CommunicatorGroup&)>& call) noexcept;
  int fail(Communicator& one, const char* sentence) noexcept;
  void report() const;

  Settings settings_;
  KnownTypes types_;
  int rank_ = 0;  // of MPI_COMM_WORLD
  int key_ = MPI_KEYVAL_INVALID;
  std::mutex mutex_;                       // of the list; several threads may call
  std::list<Communicator> communicators_;  // in the order of their first call
  std::array<std::atomic<std::uint64_t>, kKinds> in_kernel_{};
  std::atomic<std::uint64_t> left_to_mpi_{0};
};

}  // namespace aggbox::mpi
