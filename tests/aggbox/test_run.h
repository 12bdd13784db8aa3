// One packet through one kernel program, without a network (BPF_PROG_TEST_RUN).
#pragma once

#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace aggbox {

struct TestRun {
  std::uint32_t verdict;
  std::vector<std::uint8_t> packet;  // as the program left it
};

inline TestRun test_run(int program, const std::vector<std::uint8_t>& packet) {
  TestRun run = {.verdict = 0, .packet = std::vector<std::uint8_t>(4096)};
  bpf_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.test.prog_fd = static_cast<std::uint32_t>(program);
  attributes.test.data_in = reinterpret_cast<std::uintptr_t>(packet.data());
  attributes.test.data_size_in = static_cast<std::uint32_t>(packet.size());
  attributes.test.data_out = reinterpret_cast<std::uintptr_t>(run.packet.data());
  attributes.test.data_size_out = static_cast<std::uint32_t>(run.packet.size());
  attributes.test.repeat = 1;
  if (::syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attributes, sizeof attributes) != 0) {
    throw std::runtime_error(std::strerror(errno));
  }
  run.verdict = attributes.test.retval;
  run.packet.resize(attributes.test.data_size_out);
  return run;
}

}  // namespace aggbox
