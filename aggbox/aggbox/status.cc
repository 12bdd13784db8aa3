#include "aggbox/aggbox/status.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string_view>

#include "aggbox/aggbox/descriptor.h"
#include "aggbox/aggbox/error.h"
#include "aggbox/aggbox/latencies.h"
#include "skeletons/job.skel.h"

namespace aggbox {
namespace {

constexpr const char* kEvents[AGGBOX_EVENTS] = {
    "added",        "completed", "repeated",     "stored", "received", "heard",
    "acknowledged", "duplicate", "stale",        "full",   "early",    "mismatch",
    "malformed",    "wrong_job", "wrong_source", "forged"};

using Constants = aggbox_job::aggbox_job__rodata;
using Counters = aggbox_job::aggbox_job__bss;

// The one element of a map whose name ends so; nothing where the job has none of that size, as one
// of another version.
template <typename T>
std::optional<T> element(const std::vector<std::uint32_t>& maps, std::string_view ending) {
  for (const std::uint32_t id : maps) {
    const Descriptor map(bpf_map_get_fd_by_id(id));
    bpf_map_info info = {};
    std::uint32_t bytes = sizeof info;
    if (!map || bpf_obj_get_info_by_fd(map.get(), &info, &bytes) != 0) continue;
    // The section has no padding behind its last variable.
    if (!std::string_view(info.name).ends_with(ending) || info.value_size > sizeof(T) ||
        info.value_size + alignof(T) <= sizeof(T)) {
      continue;
    }
    const std::uint32_t first = 0;
    T value = {};
    if (bpf_map_lookup_elem(map.get(), &first, &value) == 0) return value;
  }
  return std::nullopt;
}

std::vector<std::uint32_t> maps_of(const Descriptor& program) {
  std::vector<std::uint32_t> maps(64);
  bpf_prog_info info = {};
  info.nr_map_ids = static_cast<std::uint32_t>(maps.size());
  info.map_ids = reinterpret_cast<std::uint64_t>(maps.data());
  std::uint32_t bytes = sizeof info;
  if (bpf_obj_get_info_by_fd(program.get(), &info, &bytes) != 0) {
    throw UnavailableError(fmt::format(
        "the programs of a job cannot be examined: {}; it takes root", std::strerror(errno)));
  }
  maps.resize(info.nr_map_ids);
  return maps;
}

std::optional<JobStatus> status_of(const Descriptor& program) {
  const std::vector<std::uint32_t> maps = maps_of(program);
  const auto constants = element<Constants>(maps, ".rodata");
  const auto counters = element<Counters>(maps, ".bss");
  const auto control = element<aggbox_control>(maps, "control");
  if (!constants || !counters || !control) return std::nullopt;
  JobStatus status = {.job = constants->job,
                      .rank = constants->rank,
                      .ranks = constants->ranks,
                      .window = constants->window,
                      .retransmissions = control->retransmissions};
  std::copy(std::begin(counters->events), std::end(counters->events), status.events.begin());
  const std::span<const std::uint64_t, AGGBOX_LATENCIES> latencies(
      reinterpret_cast<const std::uint64_t*>(control->latencies), AGGBOX_LATENCIES);
  for (const std::uint64_t count : latencies) status.collectives += count;
  status.p50_us = latency_percentile(latencies, 0.5);
  status.p90_us = latency_percentile(latencies, 0.9);
  status.p99_us = latency_percentile(latencies, 0.99);
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  status.idle_seconds =
      std::chrono::duration<double>(now - std::chrono::nanoseconds(control->last_collective))
          .count();
  return status;
}

const char* name_of(Hook hook) { return hook == Hook::kFrames ? "frames" : "super-packets"; }

// "NAME COUNT, NAME COUNT" of the events [first, end); only those that have happened where
// `happened`.
std::string list_events(const JobStatus& job, int first, int end, bool happened) {
  std::string list;
  for (int event = first; event < end; ++event) {
    const std::uint64_t count = job.events[static_cast<std::size_t>(event)];
    if (happened && count == 0) continue;
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", kEvents[event], count);
  }
  return list.empty() ? "none" : list;
}

}  // namespace

std::vector<InterfaceStatus> status_here() {
  std::vector<InterfaceStatus> all;
  for (const std::string& interface : interfaces_up()) {
    const DispatcherTable table(interface);
    InterfaceStatus status = {.interface = interface, .hook = table.hook()};
    for (const Descriptor& program : table.programs(AGGBOX_RESULT)) {
      if (const auto job = status_of(program)) status.jobs.push_back(*job);
    }
    all.push_back(std::move(status));
  }
  return all;
}

std::string to_text(const InterfaceStatus& status) {
  std::string text =
      fmt::format("{}: {}; jobs: {}\n", status.interface, name_of(status.hook), status.jobs.size());
  for (const JobStatus& job : status.jobs) {
    text += fmt::format(
        "  job {:08x}: rank {} of {}, window {}; idle for {:.1f} s\n"
        "    collectives {}, p50 {:.0f} us, p90 {:.0f} us, p99 {:.0f} us\n"
        "    chunks: {}\n"
        "    sent again {}; dropped: {}\n",
        job.job, job.rank, job.ranks, job.window, job.idle_seconds, job.collectives, job.p50_us,
        job.p90_us, job.p99_us, list_events(job, 0, AGGBOX_DUPLICATE, false), job.retransmissions,
        list_events(job, AGGBOX_DUPLICATE, AGGBOX_EVENTS, true));
  }
  return text;
}

std::string to_json(const InterfaceStatus& status) {
  std::vector<std::string> jobs;
  for (const JobStatus& job : status.jobs) {
    std::vector<std::string> events;
    for (std::size_t event = 0; event < AGGBOX_EVENTS; ++event)
      events.push_back(fmt::format("\"{}\": {}", kEvents[event], job.events[event]));
    jobs.push_back(fmt::format(
        "{{\"job\": \"{:08x}\", \"rank\": {}, \"ranks\": {}, \"window\": {}, \"idle_seconds\": "
        "{:.3f}, "
        "\"collectives\": {}, \"p50_us\": {:.1f}, \"p90_us\": {:.1f}, \"p99_us\": {:.1f}, "
        "\"retransmissions\": {}, \"events\": {{{}}}}}",
        job.job, job.rank, job.ranks, job.window, job.idle_seconds, job.collectives, job.p50_us,
        job.p90_us, job.p99_us, job.retransmissions, fmt::join(events, ", ")));
  }
  return fmt::format("{{\"interface\": \"{}\", \"hook\": \"{}\", \"jobs\": [{}]}}",
                     status.interface, name_of(status.hook), fmt::join(jobs, ", "));
}

}  // namespace aggbox
