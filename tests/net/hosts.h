// Ranks of a group on the hosts of a lab, as child processes of a test.
#pragma once

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "aggbox/aggbox/group.h"
#include "aggbox/aggbox/lab.h"

namespace aggbox {

// Runs `body` as every rank at once, in a process a rank. Returns what went wrong, a line a rank;
// empty if nothing did.
inline std::string as_ranks(std::uint32_t hosts, const std::function<void(std::uint32_t)>& body) {
  std::vector<pid_t> children;
  int messages[2];
  if (::pipe(messages) != 0) return "no pipe";
  for (std::uint32_t rank = 0; rank < hosts; ++rank) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::alarm(120);
      try {
        body(rank);
        ::_exit(0);
      } catch (const std::exception& error) {
        ::dprintf(messages[1], "rank %u: %s\n", rank, error.what());
        ::_exit(1);
      }
    }
    children.push_back(child);
  }
  ::close(messages[1]);
  std::string failures;
  char text[4096];
  for (ssize_t bytes; (bytes = ::read(messages[0], text, sizeof text)) > 0;)
    failures.append(text, static_cast<std::size_t>(bytes));
  ::close(messages[0]);
  for (std::size_t rank = 0; rank < children.size(); ++rank) {
    int status = 0;
    ::waitpid(children[rank], &status, 0);
    if (WIFSIGNALED(status))
      failures +=
          "rank " + std::to_string(rank) + ": signal " + std::to_string(WTERMSIG(status)) + "\n";
  }
  return failures;
}

// The same, every rank on its host of the lab.
inline std::string on_hosts(std::uint32_t hosts,
                            const std::function<void(const GroupOptions&)>& body) {
  return as_ranks(hosts, [&](std::uint32_t rank) {
    Lab::enter(rank + 1);
    body({.interface = "e0", .coordinator = "10.77.0.1:7077", .rank = rank, .size = hosts});
  });
}

// Memory that the ranks' processes and the test see.
template <typename T>
class SharedArray {
 public:
  explicit SharedArray(std::size_t size)
      : values_(static_cast<T*>(::mmap(nullptr, bytes(size), PROT_READ | PROT_WRITE,
                                       MAP_SHARED | MAP_ANONYMOUS, -1, 0)),
                size) {}
  ~SharedArray() { ::munmap(values_.data(), bytes(values_.size())); }
  SharedArray(const SharedArray&) = delete;
  SharedArray& operator=(const SharedArray&) = delete;
  std::span<T> values() const { return values_; }

 private:
  static std::size_t bytes(std::size_t size) { return size * sizeof(T) + 1; }
  std::span<T> values_;
};

}  // namespace aggbox
