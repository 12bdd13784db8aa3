#include "aggbox/aggbox/faults.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <net/if.h>

#include <cerrno>
#include <cstring>

#include "aggbox/aggbox/error.h"
#include "aggbox/aggbox/lab.h"
#include "aggbox/aggbox/silent_libbpf.h"
#include "skeletons/faults.skel.h"

namespace aggbox {
namespace {

std::uint32_t of_2_to_20(double share) { return static_cast<std::uint32_t>(share * (1 << 20)); }

}  // namespace

struct Faults::State {
  std::unique_ptr<aggbox_faults, decltype(&aggbox_faults__destroy)> programs{
      aggbox_faults__open(), aggbox_faults__destroy};
  std::uint32_t host = 0;
  std::string port;
  bpf_tc_hook hook = {};
};

Faults::Faults(const FaultOptions& options) : state_(std::make_unique<State>()) {
  const SilentLibbpf silent;
  State& state = *state_;
  state.host = options.host;
  state.port = fmt::format("p{}", options.host);
  state.programs->rodata->lost = of_2_to_20(options.lost);
  state.programs->rodata->doubled = of_2_to_20(options.doubled);
  state.programs->rodata->delayed = of_2_to_20(options.delayed);
  state.programs->rodata->corrupted = of_2_to_20(options.corrupted);
  state.programs->data->random = options.seed * 0x9e3779b97f4a7c15 + 1;
  int result = aggbox_faults__load(state.programs.get());
  Lab::at_switch([&] {
    state.hook.sz = sizeof state.hook;
    state.hook.ifindex = static_cast<int>(::if_nametoindex(state.port.c_str()));
    state.hook.attach_point = BPF_TC_INGRESS;
    if (result == 0) result = bpf_tc_hook_create(&state.hook);
    bpf_tc_opts attach = {};
    attach.sz = sizeof attach;
    attach.prog_fd = bpf_program__fd(state.programs->progs.aggbox_faults);
    if (result == 0) result = bpf_tc_attach(&state.hook, &attach);
  });
  if (result != 0)
    throw UnavailableError(
        fmt::format("no faults can be made on host {}: {}", options.host, std::strerror(-result)));
}

Faults::~Faults() {
  try {
    Lab::at_switch([this] {
      state_->hook.attach_point = static_cast<bpf_tc_attach_point>(BPF_TC_INGRESS | BPF_TC_EGRESS);
      bpf_tc_hook_destroy(&state_->hook);
    });
  } catch (const std::exception&) {  // the lab is down already
  }
}

std::uint64_t Faults::count() const { return state_->programs->bss->faults; }

}  // namespace aggbox
