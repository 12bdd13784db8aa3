#include "aggbox/mpi/types.h"

namespace aggbox::mpi {

KnownTypes::KnownTypes() {
  for (const MPI_Datatype type :
       {MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_INT32_T, MPI_INT64_T, MPI_AINT, MPI_OFFSET, MPI_COUNT,
        MPI_INTEGER, MPI_INTEGER4, MPI_INTEGER8})
    add_signed(type);
  for (const MPI_Datatype type :
       {MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG, MPI_UINT32_T, MPI_UINT64_T})
    add_unsigned(type);
  for (const MPI_Datatype type : {MPI_FLOAT, MPI_REAL, MPI_REAL4}) add_float(type);
}

void KnownTypes::add_signed(MPI_Datatype type) {
  add(type, 4, Type::kInt32);
  add(type, 8, Type::kInt64);
}

void KnownTypes::add_unsigned(MPI_Datatype type) {
  add(type, 4, Type::kUint32);
  add(type, 8, Type::kUint64);
}

void KnownTypes::add_float(MPI_Datatype type) { add(type, 4, Type::kFloat32); }

void KnownTypes::add(MPI_Datatype type, int bytes, Type kernel_type) {
  if (type == MPI_DATATYPE_NULL) return;  // an MPI without Fortran
  int size = 0;
  PMPI_Type_size(type, &size);
  if (size == bytes) types_.emplace_back(type, kernel_type);
}

std::optional<Type> KnownTypes::find(MPI_Datatype type) const {
  for (const auto& [known, kernel_type] : types_) {
    if (known == type) return kernel_type;
  }
  return std::nullopt;
}

std::optional<Reduction> find_reduction(MPI_Op operation) {
  if (operation == MPI_SUM) return Reduction::kSum;
  if (operation == MPI_MIN) return Reduction::kMin;
  if (operation == MPI_MAX) return Reduction::kMax;
  if (operation == MPI_BAND) return Reduction::kAnd;
  if (operation == MPI_BOR) return Reduction::kOr;
  if (operation == MPI_BXOR) return Reduction::kXor;
  return std::nullopt;
}

bool is_exact(Type type, Reduction) {
  // Minima of floats would be exact but for NaN and the two zeros, of which MPI leaves open what
  // becomes.
  return type != Type::kFloat32 && type != Type::kBfloat16;
}

bool may_be_asked_for(Type type, Reduction reduction) {
  return type == Type::kFloat32 && reduction == Reduction::kSum;
}

}  // namespace aggbox::mpi
