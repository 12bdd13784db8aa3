// What the jobs of this host do, seen from outside: read from the maps of their programs, which the
// dispatcher's table leads to.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "aggbox/aggbox/dispatcher.h"
#include "aggbox/bpf/shared.h"

namespace aggbox {

struct JobStatus {
  std::uint32_t job = 0, rank = 0, ranks = 0, window = 0;
  std::array<std::uint64_t, AGGBOX_EVENTS> events = {};  // since it began, by aggbox_event
  std::uint64_t retransmissions = 0;
  std::uint64_t collectives = 0;
  double p50_us = 0, p90_us = 0, p99_us = 0;  // of a collective; up to a fifth too large
  double idle_seconds = 0;                    // since the last one, or since the job began
};

struct InterfaceStatus {
  std::string interface;
  Hook hook = Hook::kFrames;
  std::vector<JobStatus> jobs = {};
};

// Of every interface of this network namespace that is up for AggBox. Throws UnavailableError where
// rights are missing.
std::vector<InterfaceStatus> status_here();

std::string to_text(const InterfaceStatus& status);  // lines
std::string to_json(const InterfaceStatus& status);  // one line

}  // namespace aggbox
