#include "aggbox/mpi/packed.h"

#include "aggbox/aggbox/error.h"

namespace aggbox::mpi {
namespace {

// Of one of MPI's own types without gaps. Others may lie in order as well; packing them is right.
bool lies_in_order(MPI_Datatype type, int size) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  MPI_Aint first = 0, extent = 0;
  PMPI_Type_get_extent(type, &first, &extent);
  return combiner == MPI_COMBINER_NAMED && first == 0 && extent == size;
}

void require(int code, const char* what) {
  if (code != MPI_SUCCESS) throw Error(what);
}

}  // namespace

Packed::Packed(void* values, int count, MPI_Datatype type, MPI_Comm communicator)
    : values_(values), count_(count), type_(type), communicator_(communicator) {
  int size = 0;
  PMPI_Type_size(type, &size);
  size_ = static_cast<std::size_t>(count) * static_cast<std::size_t>(size);
  if (!lies_in_order(type, size)) copy_ = std::make_unique_for_overwrite<std::byte[]>(size_);
}

void Packed::pack() {
  int position = 0;
  if (copy_)
    require(PMPI_Pack(values_, count_, type_, copy_.get(), static_cast<int>(size_), &position,
                      communicator_),
            "MPI cannot pack what is to be broadcast");
}

void Packed::unpack() {
  int position = 0;
  if (copy_)
    require(PMPI_Unpack(copy_.get(), static_cast<int>(size_), &position, values_, count_, type_,
                        communicator_),
            "MPI cannot unpack what was broadcast");
}

}  // namespace aggbox::mpi
