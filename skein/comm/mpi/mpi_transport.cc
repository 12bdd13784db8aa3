// Without the C++ functions that MPI had up to version 2.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "skein/comm/communicator.h"
#include "skein/comm/mpi/plugin.h"

namespace skein {
namespace {

// MPI counts bytes in an int.
constexpr size_t kLongestMessage = size_t{1} << 30;

void require(int code, const std::string& what) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw CommunicationError("MPI cannot " + what + ": " + std::string(text.data(), length));
}

// A message in parts.
class MpiTransfer final : public Transfer {
 public:
  // `start(part, request)` sends or receives bytes [begin, begin + length).
  template <typename Start>
  MpiTransfer(size_t bytes, Start&& start) {
    size_t begin = 0;
    do {
      const size_t length = std::min(bytes - begin, kLongestMessage);
      MPI_Request request = MPI_REQUEST_NULL;
      start(begin, static_cast<int>(length), &request);
      requests_.push_back(request);
      begin += length;
    } while (begin < bytes);
  }
  // Given up.
  ~MpiTransfer() override {
    for (MPI_Request& request : requests_) {
      if (request == MPI_REQUEST_NULL) continue;
      MPI_Cancel(&request);
      MPI_Request_free(&request);
    }
  }
  MpiTransfer(const MpiTransfer&) = delete;
  MpiTransfer& operator=(const MpiTransfer&) = delete;

  bool done() override {
    int all = 0;
    require(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all,
                        MPI_STATUSES_IGNORE),
            "end a message");
    return all != 0;
  }

 private:
  std::vector<MPI_Request> requests_;
};

class MpiTransport final : public Transport {
 public:
  MpiTransport() {
    int provided = 0;
    require(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "start");
    require(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "return errors");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::string description() const override {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    // "Open MPI v4.1.4, package: ..." or "MPICH Version:\t4.0.2\n...".
    std::string version(text.data(), static_cast<size_t>(length));
    version.resize(std::min(version.size(), version.find_first_of(",\n")));
    const size_t title = version.find(" Version:");
    if (title != version.npos) version.erase(title, std::string(" Version:").size());
    std::replace(version.begin(), version.end(), '\t', ' ');
    return "MPI (" + version + ")";
  }

  std::unique_ptr<Transfer> send(int to, int tag, std::span<const std::byte> bytes) override {
    return std::make_unique<MpiTransfer>(bytes.size(), [&](size_t begin, int length,
                                                           MPI_Request* request) {
      require(MPI_Isend(bytes.data() + begin, length, MPI_BYTE, to, tag, MPI_COMM_WORLD, request),
              "send");
    });
  }

  std::unique_ptr<Transfer> receive(int from, int tag, std::span<std::byte> bytes) override {
    return std::make_unique<MpiTransfer>(bytes.size(), [&](size_t begin, int length,
                                                           MPI_Request* request) {
      require(MPI_Irecv(bytes.data() + begin, length, MPI_BYTE, from, tag, MPI_COMM_WORLD, request),
              "receive");
    });
  }

  void finish() override { MPI_Finalize(); }

 private:
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace
}  // namespace skein

skein::Transport* skein_start_mpi() { return new skein::MpiTransport; }
