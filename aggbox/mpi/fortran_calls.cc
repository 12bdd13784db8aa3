// Open MPI's functions as Fortran programs call them, by `mpif.h` and `use mpi` (mpi_x_) and by
// `use mpi_f08` (mpi_x_f08_, where the error code is optional). They don't pass the C functions.
#include <optional>

#include "aggbox/mpi/mpi.h"
#include "aggbox/mpi/next.h"
#include "aggbox/mpi/session.h"

#ifdef OPEN_MPI

using aggbox::mpi::Session;

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses): MPI's names; argument
// lists
extern "C" {

// Fortran's MPI_IN_PLACE and MPI_BOTTOM are the addresses of these.
extern int mpi_fortran_in_place_;
extern int mpi_fortran_bottom_;

namespace {

void* in_c(void* buffer) {
  if (buffer == &mpi_fortran_in_place_) return MPI_IN_PLACE;
  if (buffer == &mpi_fortran_bottom_) return MPI_BOTTOM;
  return buffer;
}

bool deliver(const std::optional<int>& code, MPI_Fint* error) {
  if (code && error) *error = *code;
  return code.has_value();
}

}  // namespace

#define AGGBOX_FORTRAN(x)                                                                          \
  void mpi_init_##x(MPI_Fint* error) {                                                             \
    AGGBOX_NEXT(mpi_init_##x)(error);                                                              \
    Session::begin();                                                                              \
  }                                                                                                \
  void mpi_init_thread_##x(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* error) {              \
    AGGBOX_NEXT(mpi_init_thread_##x)(required, provided, error);                                   \
    Session::begin();                                                                              \
  }                                                                                                \
  void mpi_finalize_##x(MPI_Fint* error) {                                                         \
    Session::end();                                                                                \
    AGGBOX_NEXT(mpi_finalize_##x)(error);                                                          \
  }                                                                                                \
  void mpi_comm_free_##x(MPI_Fint* communicator, MPI_Fint* error) {                                \
    if (Session* session = Session::current()) session->leave(PMPI_Comm_f2c(*communicator));       \
    AGGBOX_NEXT(mpi_comm_free_##x)(communicator, error);                                           \
  }                                                                                                \
  void mpi_comm_disconnect_##x(MPI_Fint* communicator, MPI_Fint* error) {                          \
    if (Session* session = Session::current()) session->leave(PMPI_Comm_f2c(*communicator));       \
    AGGBOX_NEXT(mpi_comm_disconnect_##x)(communicator, error);                                     \
  }                                                                                                \
  void mpi_allreduce_##x(void* send, void* receive, MPI_Fint* count, MPI_Fint* type,               \
                         MPI_Fint* operation, MPI_Fint* communicator, MPI_Fint* error) {           \
    Session* session = Session::current();                                                         \
    if (session &&                                                                                 \
        deliver(session->all_reduce(in_c(send), in_c(receive), *count, PMPI_Type_f2c(*type),       \
                                    PMPI_Op_f2c(*operation), PMPI_Comm_f2c(*communicator)),        \
                error))                                                                            \
      return;                                                                                      \
    AGGBOX_NEXT(mpi_allreduce_##x)(send, receive, count, type, operation, communicator, error);    \
  }                                                                                                \
  void mpi_reduce_##x(void* send, void* receive, MPI_Fint* count, MPI_Fint* type,                  \
                      MPI_Fint* operation, MPI_Fint* root, MPI_Fint* communicator,                 \
                      MPI_Fint* error) {                                                           \
    Session* session = Session::current();                                                         \
    if (session &&                                                                                 \
        deliver(session->reduce(in_c(send), in_c(receive), *count, PMPI_Type_f2c(*type),           \
                                PMPI_Op_f2c(*operation), *root, PMPI_Comm_f2c(*communicator)),     \
                error))                                                                            \
      return;                                                                                      \
    AGGBOX_NEXT(mpi_reduce_##x)(send, receive, count, type, operation, root, communicator, error); \
  }                                                                                                \
  void mpi_bcast_##x(void* values, MPI_Fint* count, MPI_Fint* type, MPI_Fint* root,                \
                     MPI_Fint* communicator, MPI_Fint* error) {                                    \
    Session* session = Session::current();                                                         \
    if (session && deliver(session->broadcast(in_c(values), *count, PMPI_Type_f2c(*type), *root,   \
                                              PMPI_Comm_f2c(*communicator)),                       \
                           error))                                                                 \
      return;                                                                                      \
    AGGBOX_NEXT(mpi_bcast_##x)(values, count, type, root, communicator, error);                    \
  }                                                                                                \
  void mpi_barrier_##x(MPI_Fint* communicator, MPI_Fint* error) {                                  \
    Session* session = Session::current();                                                         \
    if (session && deliver(session->barrier(PMPI_Comm_f2c(*communicator)), error)) return;         \
    AGGBOX_NEXT(mpi_barrier_##x)(communicator, error);                                             \
  }

AGGBOX_FORTRAN()
AGGBOX_FORTRAN(f08_)

}  // extern "C"
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)

#endif
