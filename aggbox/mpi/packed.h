// A message's values one after another in memory, as MPI sends them, whatever type describes where
// they lie.
#pragma once

#include <cstddef>
#include <memory>

#include "aggbox/mpi/mpi.h"

namespace aggbox::mpi {

class Packed {
 public:
  Packed(void* values, int count, MPI_Datatype type, MPI_Comm communicator);

  void* bytes() const { return copy_ ? copy_.get() : values_; }
  std::size_t size() const { return size_; }
  // From the values into bytes(), and back. Where they lie one after another, both are the same.
  void pack();
  void unpack();

 private:
  void* values_;
  int count_;
  MPI_Datatype type_;
  MPI_Comm communicator_;
  std::size_t size_;
  std::unique_ptr<std::byte[]> copy_;
};

}  // namespace aggbox::mpi
