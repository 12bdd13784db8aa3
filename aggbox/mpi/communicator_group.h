// The ranks of a communicator, by hosts. One rank of each host, its leader, is in a group of
// AggBox; the others reach it by MPI, over shared memory. Where every host has one rank, all are
// leaders and nothing but the group is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aggbox/aggbox/group.h"
#include "aggbox/mpi/mpi.h"
#include "aggbox/mpi/settings.h"

namespace aggbox::mpi {

// What MPI_Reduce and MPI_Allreduce are given, on a leader's way into the kernel.
struct Reducible {
  int count = 0;
  Type type = Type::kInt32;
  Reduction reduction = Reduction::kSum;
  MPI_Op mpi_operation = MPI_OP_NULL;

  std::size_t bytes() const;
  // By the type's name of fixed width: Open MPI 4.1.4 and MPICH 4.0.2 order MPI_UNSIGNED_LONG as if
  // it were signed.
  MPI_Datatype mpi_type() const;
};

class CommunicatorGroup {
 public:
  // Collective over `communicator`. All ranks get a group, or all get none and `reason`.
  static std::unique_ptr<CommunicatorGroup> join(MPI_Comm communicator, const Settings& settings,
                                                 std::string& reason);
  // Collective, unless the program failed before.
  ~CommunicatorGroup();
  CommunicatorGroup(const CommunicatorGroup&) = delete;
  CommunicatorGroup& operator=(const CommunicatorGroup&) = delete;

  // Each throws PeerError where a rank has left; the group is of no use then, and says so again.
  // values: this rank's, and afterwards the result.
  void all_reduce(const Reducible& what, void* values);
  // The same, on the root; what becomes of the others' values is open.
  void reduce(const Reducible& what, void* values, int root);
  void broadcast(void* bytes, std::size_t size, int root);
  void barrier();

  bool several_ranks_a_host() const { return host_ != MPI_COMM_NULL; }

 private:
  CommunicatorGroup() = default;
  bool leads() const { return rank_on_host_[static_cast<std::size_t>(rank_)] == 0; }
  void sum_at_leaders(const Reducible& what, void* values);
  void from_root_to_its_host(void* bytes, std::size_t size, int root);

  MPI_Comm communicator_ = MPI_COMM_NULL;  // the program's
  MPI_Comm host_ = MPI_COMM_NULL;          // of this host's ranks, the leader first; null: one each
  int rank_ = 0;
  std::vector<int> host_of_;       // by rank of the communicator: as the group numbers them
  std::vector<int> rank_on_host_;  // by rank of the communicator
  std::unique_ptr<Group> group_;   // on leaders
};

}  // namespace aggbox::mpi
