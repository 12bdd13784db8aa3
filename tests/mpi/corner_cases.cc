// An MPI program of single cases that random calls do not meet. Ends with 1 and a sentence where
// one is wrong.
//
// usage: aggbox_mpi_case send-before-sum | floats | late-rank | barrier
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

namespace {

int rank_here() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int size_here() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "rank %d: %s\n", rank_here(), what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

// A message too long to be on its way already, which the sender's MPI must push while the sender
// waits in a collective for the receiver.
void send_before_sum() {
  std::vector<int> message(2'000'000, 7);
  MPI_Request request = MPI_REQUEST_NULL;
  const int last = size_here() - 1;
  if (rank_here() == 0)
    MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_INT, last, 0, MPI_COMM_WORLD,
              &request);
  if (rank_here() == last) {
    std::vector<int> received(message.size());
    MPI_Recv(received.data(), static_cast<int>(received.size()), MPI_INT, 0, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    require(received == message, "the message is wrong");
  }
  int sum = 1;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  require(sum == size_here(), "the sum is wrong");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Within N^2 2^-30 of the largest value of a block, and the same on all ranks.
void floats() {
  std::vector<float> values(100'000), sums(values.size());
  std::vector<double> wide(values.size()), exact(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    wide[i] = values[i] =
        std::sin(static_cast<float>(i) + 100.0F * static_cast<float>(rank_here()));
  const int count = static_cast<int>(values.size());
  MPI_Allreduce(values.data(), sums.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  PMPI_Allreduce(wide.data(), exact.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double size = size_here();
  // Ranks of a host are added by MPI, in float32.
  const double bound = size * size * std::ldexp(1.0, -30) + size * size * std::ldexp(1.0, -24);
  for (std::size_t i = 0; i < sums.size(); ++i)
    require(std::abs(sums[i] - exact[i]) <= bound, "a sum is outside the bound");
  std::vector<float> firsts = sums;
  PMPI_Bcast(firsts.data(), count, MPI_FLOAT, 0, MPI_COMM_WORLD);
  require(std::memcmp(firsts.data(), sums.data(), sums.size() * 4) == 0, "ranks differ");
}

// Longer than AggBox waits elsewhere for ranks that don't answer.
void late_rank() {
  if (rank_here() == 0) std::this_thread::sleep_for(std::chrono::seconds(11));
  MPI_Barrier(MPI_COMM_WORLD);
  std::vector<char> text(3);
  if (rank_here() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(300));
  if (rank_here() == 0) std::memcpy(text.data(), "abc", 3);
  MPI_Bcast(text.data(), 3, MPI_CHAR, 0, MPI_COMM_WORLD);
  require(std::memcmp(text.data(), "abc", 3) == 0, "the broadcast is wrong");
}

// Seconds, on a clock that the lab's hosts share.
double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Nobody leaves before the last has come.
void barrier() {
  for (int last = 0; last < size_here(); ++last) {
    double entered = 0;
    if (rank_here() == last) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (rank_here() == last) entered = now();
    MPI_Barrier(MPI_COMM_WORLD);
    const double left = now();
    PMPI_Bcast(&entered, 1, MPI_DOUBLE, last, MPI_COMM_WORLD);
    require(left >= entered, "left the barrier too early");
  }
}

}  // namespace

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  const std::string_view which = arguments[1];
  if (which == "send-before-sum") send_before_sum();
  if (which == "floats") floats();
  if (which == "late-rank") late_rank();
  if (which == "barrier") barrier();
  if (rank_here() == 0) std::printf("well\n");
  MPI_Finalize();
  return 0;
}
