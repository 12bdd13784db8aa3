// An MPI program that makes seeded random calls and compares each with what MPI itself makes of it
// (by PMPI_ functions, which no library comes before). Ends with 1 and a sentence at the first
// difference.
//
// usage: aggbox_mpi_random SEED CALLS
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#ifdef OPEN_MPI
extern "C" {
extern int mpi_fortran_in_place_;
void mpi_allreduce_(void*, void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*);
void mpi_reduce_(void*, void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*);
void mpi_bcast_(void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*);
void mpi_barrier_(MPI_Fint*, MPI_Fint*);
void mpi_comm_free_(MPI_Fint*, MPI_Fint*);
}
#endif

namespace {

using Bytes = std::vector<unsigned char>;

constexpr std::size_t kGuard = 16;  // bytes after a buffer that nobody may touch
constexpr unsigned char kGuardValue = 0xa5;

struct NamedType {
  const char* name;
  MPI_Datatype type;
  bool integer;
};

struct NamedOperation {
  const char* name;
  MPI_Op operation;
  bool of_floats;
};

// Sums wrap.
void add_half(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) {
    static_cast<std::uint32_t*>(inout)[i] +=
        static_cast<std::uint32_t>(static_cast<std::int32_t*>(in)[i] / 2);
  }
}

class Program {
 public:
  explicit Program(std::uint64_t seed) : same_(seed) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    own_.seed(seed * 1000 + static_cast<std::uint64_t>(rank_));
    communicators_ = {MPI_COMM_WORLD};
    add_communicators();
    MPI_Op_create(add_half, 1, &half_);
  }
  ~Program() {
    MPI_Op_free(&half_);
    for (std::size_t i = 1; i < communicators_.size(); ++i) free_communicator(communicators_[i]);
  }

  void call() {
    const std::size_t chosen = same(communicators_.size());
    MPI_Comm communicator = communicators_[chosen];
    // The next random numbers are common to all ranks, whether they take part or not.
    const std::uint64_t kind = same(8), seed = same_();
    if (communicator != MPI_COMM_NULL) {
      call_ = std::mt19937_64(seed);
      PMPI_Comm_rank(communicator, &here_);
      PMPI_Comm_size(communicator, &size_);
      what_ = "communicator " + std::to_string(chosen);
      switch (kind) {
        case 0:
          barrier(communicator);
          break;
        case 1:
        case 2:
          broadcast(communicator);
          break;
        case 3:
        case 4:
          reduce(communicator);
          break;
        default:
          all_reduce(communicator);
      }
    }
    if (same(40) == 0) {
      for (std::size_t i = 1; i < communicators_.size(); ++i) free_communicator(communicators_[i]);
      communicators_.resize(1);
      add_communicators();
    }
  }

 private:
  std::uint64_t same(std::uint64_t below) { return same_() % below; }
  std::uint64_t of_call(std::uint64_t below) { return call_() % below; }

  [[noreturn]] void differ(const std::string& how) const {
    std::fprintf(stderr, "rank %d: %s: %s\n", rank_, what_.c_str(), how.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
  }

  // Halves of the world, all in another order, all but the first.
  void add_communicators() {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank_ % 2, rank_, &made);
    communicators_.push_back(made);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank_, &made);
    communicators_.push_back(made);
    MPI_Comm_split(MPI_COMM_WORLD, rank_ == 0 ? MPI_UNDEFINED : 0, rank_, &made);
    communicators_.push_back(made);
  }

  static void free_communicator(MPI_Comm& communicator) {
    if (communicator == MPI_COMM_NULL) return;
#ifdef OPEN_MPI
    MPI_Fint handle = MPI_Comm_c2f(communicator), error = 0;
    mpi_comm_free_(&handle, &error);
    communicator = MPI_COMM_NULL;
#else
    MPI_Comm_free(&communicator);
#endif
  }

  // Around the ends of blocks, chunks, shares and windows.
  int random_count() {
    constexpr std::array kEnds = {1, 2, 16, 88, 176, 352, 704, 1408, 11264, 45056};
    const int end = kEnds[of_call(kEnds.size())];
    return std::max(0, end - 1 + static_cast<int>(of_call(3)));
  }

  NamedType random_type() {
    const std::array types = {
        NamedType{"MPI_INT", MPI_INT, true},
        NamedType{"MPI_UNSIGNED", MPI_UNSIGNED, true},
        NamedType{"MPI_LONG", MPI_LONG, true},
        NamedType{"MPI_UNSIGNED_LONG", MPI_UNSIGNED_LONG, true},
        NamedType{"MPI_INT32_T", MPI_INT32_T, true},
        NamedType{"MPI_UINT64_T", MPI_UINT64_T, true},
        NamedType{"MPI_LONG_LONG", MPI_LONG_LONG, true},
        NamedType{"MPI_SHORT", MPI_SHORT, true},
        NamedType{"MPI_UNSIGNED_CHAR", MPI_UNSIGNED_CHAR, true},
        NamedType{"MPI_DOUBLE", MPI_DOUBLE, false},
        NamedType{"MPI_FLOAT", MPI_FLOAT, false},
    };
    return types[of_call(types.size())];
  }

  NamedOperation random_operation(const NamedType& type) {
    const std::array operations = {
        NamedOperation{"MPI_SUM", MPI_SUM, true},   NamedOperation{"MPI_MIN", MPI_MIN, true},
        NamedOperation{"MPI_MAX", MPI_MAX, true},   NamedOperation{"MPI_BAND", MPI_BAND, false},
        NamedOperation{"MPI_BOR", MPI_BOR, false},  NamedOperation{"MPI_BXOR", MPI_BXOR, false},
        NamedOperation{"MPI_PROD", MPI_PROD, true}, NamedOperation{"MPI_LAND", MPI_LAND, false},
        NamedOperation{"half", half_, false},
    };
    for (;;) {
      const NamedOperation& chosen = operations[of_call(operations.size())];
      if (!type.integer && !chosen.of_floats) continue;
      if (chosen.operation == half_ && type.type != MPI_INT) continue;
      return chosen;
    }
  }

  // Whole numbers as floats, so that every order of a sum gives the same.
  Bytes random_values(std::size_t bytes, const NamedType& type) {
    Bytes values(bytes + kGuard, kGuardValue);
    if (type.integer) {
      for (std::size_t i = 0; i < bytes; ++i) values[i] = static_cast<unsigned char>(own_());
    } else if (type.type == MPI_DOUBLE) {
      for (std::size_t i = 0; i < bytes / 8; ++i) {
        const auto value = static_cast<double>(own_() % 64) - 32;
        std::memcpy(&values[i * 8], &value, 8);
      }
    } else {
      for (std::size_t i = 0; i < bytes / 4; ++i) {
        const auto value = static_cast<float>(own_() % 64) - 32;
        std::memcpy(&values[i * 4], &value, 4);
      }
    }
    return values;
  }

  // Open MPI 4.1.4 orders MPI_UNSIGNED_LONG as if it were signed, also in minima and maxima that no
  // library comes before; of the same numbers by another name it makes what it should.
  static MPI_Datatype as_compared(MPI_Datatype type) {
    return type == MPI_UNSIGNED_LONG ? MPI_UINT64_T : type;
  }

  void all_reduce(MPI_Comm communicator) {
    const NamedType type = random_type();
    const NamedOperation operation = random_operation(type);
    const int count = random_count();
    const bool fortran = of_call(3) == 0;
    const bool in_place = of_call(2) == 0;
    int bytes = 0;
    PMPI_Type_size(type.type, &bytes);
    what_ += std::string(": MPI_Allreduce of ") + std::to_string(count) + " " + type.name + " by " +
             operation.name + (in_place ? ", in place" : "") + (fortran ? ", Fortran" : "");
    const Bytes sent = random_values(static_cast<std::size_t>(count * bytes), type);
    Bytes send = sent;
    Bytes received = in_place ? sent : Bytes(sent.size(), kGuardValue);
    Bytes expected = received;
    PMPI_Allreduce(in_place ? MPI_IN_PLACE : send.data(), expected.data(), count,
                   as_compared(type.type), operation.operation, communicator);
    call_all_reduce(in_place ? nullptr : send.data(), received.data(), count, type.type,
                    operation.operation, communicator, fortran);
    if (send != sent) differ("the send buffer has changed");
    if (received != expected) differ("another result than MPI's");
  }

  static void call_all_reduce(void* send, void* receive, MPI_Fint count, MPI_Datatype type,
                              MPI_Op operation, MPI_Comm communicator, bool fortran) {
#ifdef OPEN_MPI
    if (fortran) {
      MPI_Fint f_type = MPI_Type_c2f(type), f_operation = MPI_Op_c2f(operation);
      MPI_Fint f_communicator = MPI_Comm_c2f(communicator), error = 0;
      mpi_allreduce_(send ? send : &mpi_fortran_in_place_, receive, &count, &f_type, &f_operation,
                     &f_communicator, &error);
      return;
    }
#endif
    static_cast<void>(fortran);
    MPI_Allreduce(send ? send : MPI_IN_PLACE, receive, count, type, operation, communicator);
  }

  void reduce(MPI_Comm communicator) {
    const NamedType type = random_type();
    const NamedOperation operation = random_operation(type);
    const int count = random_count();
    const int root = static_cast<int>(of_call(static_cast<std::uint64_t>(size_)));
    const bool fortran = of_call(3) == 0;
    const bool in_place = of_call(2) == 0 && here_ == root;
    int bytes = 0;
    PMPI_Type_size(type.type, &bytes);
    what_ += std::string(": MPI_Reduce of ") + std::to_string(count) + " " + type.name + " by " +
             operation.name + " to " + std::to_string(root) + (in_place ? ", in place" : "") +
             (fortran ? ", Fortran" : "");
    const Bytes sent = random_values(static_cast<std::size_t>(count * bytes), type);
    Bytes send = sent;
    Bytes received = in_place ? sent : Bytes(sent.size(), kGuardValue);
    Bytes expected = received;
    PMPI_Reduce(in_place ? MPI_IN_PLACE : send.data(), expected.data(), count,
                as_compared(type.type), operation.operation, root, communicator);
    call_reduce(in_place ? nullptr : send.data(), received.data(), count, type.type,
                operation.operation, root, communicator, fortran);
    if (send != sent) differ("the send buffer has changed");
    if (received != expected) differ("another result than MPI's");
  }

  static void call_reduce(void* send, void* receive, MPI_Fint count, MPI_Datatype type,
                          MPI_Op operation, MPI_Fint root, MPI_Comm communicator, bool fortran) {
#ifdef OPEN_MPI
    if (fortran) {
      MPI_Fint f_type = MPI_Type_c2f(type), f_operation = MPI_Op_c2f(operation);
      MPI_Fint f_communicator = MPI_Comm_c2f(communicator), error = 0;
      mpi_reduce_(send ? send : &mpi_fortran_in_place_, receive, &count, &f_type, &f_operation,
                  &root, &f_communicator, &error);
      return;
    }
#endif
    static_cast<void>(fortran);
    MPI_Reduce(send ? send : MPI_IN_PLACE, receive, count, type, operation, root, communicator);
  }

  // The root may describe the message by another type than the others.
  void broadcast(MPI_Comm communicator) {
    const int pairs = std::max(1, random_count());
    const int root = static_cast<int>(of_call(static_cast<std::uint64_t>(size_)));
    const std::uint64_t form = of_call(4);
    const bool fortran = of_call(3) == 0;
    what_ += ": MPI_Bcast of " + std::to_string(pairs) + " pairs from " + std::to_string(root) +
             ", form " + std::to_string(form) + (fortran ? ", Fortran" : "");
    const NamedType ints = {"MPI_INT", MPI_INT, true};
    // Every second int of what is four times as long, or the first ones.
    Bytes sent = random_values(static_cast<std::size_t>(pairs) * 16, ints);
    Bytes received = sent, expected = sent;
    const bool spread = form == 1 || (form == 2 && here_ == root) || (form == 3 && here_ != root);
    MPI_Datatype type = MPI_INT;
    if (spread) {
      MPI_Type_vector(2, 1, 2, MPI_INT, &type);
      MPI_Datatype wide = MPI_DATATYPE_NULL;
      MPI_Type_create_resized(type, 0, 16, &wide);
      MPI_Type_free(&type);
      type = wide;
      MPI_Type_commit(&type);
    }
    MPI_Fint count = spread ? pairs : 2 * pairs;
    PMPI_Bcast(expected.data(), count, type, root, communicator);
    call_broadcast(received.data(), count, type, root, communicator, fortran);
    if (spread) MPI_Type_free(&type);
    if (received != expected) differ("another result than MPI's");
  }

  static void call_broadcast(void* values, MPI_Fint count, MPI_Datatype type, MPI_Fint root,
                             MPI_Comm communicator, bool fortran) {
#ifdef OPEN_MPI
    if (fortran) {
      MPI_Fint f_type = MPI_Type_c2f(type), f_communicator = MPI_Comm_c2f(communicator), error = 0;
      mpi_bcast_(values, &count, &f_type, &root, &f_communicator, &error);
      return;
    }
#endif
    static_cast<void>(fortran);
    MPI_Bcast(values, count, type, root, communicator);
  }

  // Nobody leaves before the last has come: it counts after all have entered.
  void barrier(MPI_Comm communicator) {
    what_ += ": MPI_Barrier";
#ifdef OPEN_MPI
    if (of_call(2) == 0) {
      MPI_Fint f_communicator = MPI_Comm_c2f(communicator), error = 0;
      mpi_barrier_(&f_communicator, &error);
      return;
    }
#endif
    MPI_Barrier(communicator);
  }

  std::mt19937_64 same_;  // alike on all ranks
  std::mt19937_64 own_;
  std::mt19937_64 call_;  // alike on all ranks of the communicator
  int rank_ = 0;
  int here_ = 0;  // in the communicator
  int size_ = 1;
  std::string what_;
  MPI_Op half_ = MPI_OP_NULL;
  std::vector<MPI_Comm> communicators_;
};

}  // namespace

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int calls = std::atoi(arguments[2]);
  {
    Program program(static_cast<std::uint64_t>(std::atoll(arguments[1])));
    for (int i = 0; i < calls; ++i) program.call();
  }
  if (rank == 0) std::printf("%d calls are MPI's\n", calls);
  MPI_Finalize();
  return 0;
}
