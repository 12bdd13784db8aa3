// While it lives, libbpf does not write to standard error: what goes wrong is told once, by us.
#pragma once

#include <bpf/libbpf.h>

namespace aggbox {

class SilentLibbpf {
 public:
  SilentLibbpf() : before_(libbpf_set_print(nullptr)) {}
  ~SilentLibbpf() { libbpf_set_print(before_); }
  SilentLibbpf(const SilentLibbpf&) = delete;
  SilentLibbpf& operator=(const SilentLibbpf&) = delete;

 private:
  libbpf_print_fn_t before_;
};

}  // namespace aggbox
