// MPI's functions as programs in C and C++ call them. MPICH's Fortran functions come here, too.
#include "aggbox/mpi/mpi.h"
#include "aggbox/mpi/next.h"
#include "aggbox/mpi/session.h"

using aggbox::mpi::Session;

// NOLINTBEGIN(readability-identifier-naming): MPI's names
extern "C" {

int MPI_Init(int* count, char*** arguments) {
  const int code = AGGBOX_NEXT(MPI_Init)(count, arguments);
  if (code == MPI_SUCCESS) Session::begin();
  return code;
}

int MPI_Init_thread(int* count, char*** arguments, int required, int* provided) {
  const int code = AGGBOX_NEXT(MPI_Init_thread)(count, arguments, required, provided);
  if (code == MPI_SUCCESS) Session::begin();
  return code;
}

int MPI_Finalize() {
  Session::end();
  return AGGBOX_NEXT(MPI_Finalize)();
}

int MPI_Comm_free(MPI_Comm* communicator) {
  if (Session* session = Session::current()) session->leave(*communicator);
  return AGGBOX_NEXT(MPI_Comm_free)(communicator);
}

int MPI_Comm_disconnect(MPI_Comm* communicator) {
  if (Session* session = Session::current()) session->leave(*communicator);
  return AGGBOX_NEXT(MPI_Comm_disconnect)(communicator);
}

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation,
                  MPI_Comm communicator) {
  if (Session* session = Session::current()) {
    if (const auto code = session->all_reduce(send, receive, count, type, operation, communicator))
      return *code;
  }
  return AGGBOX_NEXT(MPI_Allreduce)(send, receive, count, type, operation, communicator);
}

int MPI_Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation,
               int root, MPI_Comm communicator) {
  if (Session* session = Session::current()) {
    if (const auto code =
            session->reduce(send, receive, count, type, operation, root, communicator))
      return *code;
  }
  return AGGBOX_NEXT(MPI_Reduce)(send, receive, count, type, operation, root, communicator);
}

int MPI_Bcast(void* values, int count, MPI_Datatype type, int root, MPI_Comm communicator) {
  if (Session* session = Session::current()) {
    if (const auto code = session->broadcast(values, count, type, root, communicator)) return *code;
  }
  return AGGBOX_NEXT(MPI_Bcast)(values, count, type, root, communicator);
}

int MPI_Barrier(MPI_Comm communicator) {
  if (Session* session = Session::current()) {
    if (const auto code = session->barrier(communicator)) return *code;
  }
  return AGGBOX_NEXT(MPI_Barrier)(communicator);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
