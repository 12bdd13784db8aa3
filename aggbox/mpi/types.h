// Which of MPI's types and operations the kernel has: a line each in types.cc.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "aggbox/aggbox/group.h"
#include "aggbox/mpi/mpi.h"

namespace aggbox::mpi {

class KnownTypes {
 public:
  // After MPI_Init.
  KnownTypes();

  std::optional<Type> find(MPI_Datatype type) const;

 private:
  // As wide as MPI says that it is here, if the kernel has that width.
  void add_signed(MPI_Datatype type);
  void add_unsigned(MPI_Datatype type);
  void add_float(MPI_Datatype type);
  void add(MPI_Datatype type, int bytes, Type kernel_type);

  std::vector<std::pair<MPI_Datatype, Type>> types_;
};

std::optional<Reduction> find_reduction(MPI_Op operation);

// Whether the kernel's result is MPI's to the bit.
bool is_exact(Type type, Reduction reduction);

// Whether it is one of the few that may be asked for: a sum of floats, which are rounded otherwise.
bool may_be_asked_for(Type type, Reduction reduction);

}  // namespace aggbox::mpi
