// A job's kernel programs on this host, and the memory that they share with its process.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "aggbox/aggbox/dispatcher.h"
#include "aggbox/aggbox/membership.h"
#include "aggbox/bpf/shared.h"

namespace aggbox {

class KernelJob {
 public:
  // Loads the programs; no packet reaches them yet. Throws UnavailableError where the kernel
  // refuses them.
  KernelJob(const Membership& membership, int interface_index, Hook hook);
  ~KernelJob();
  KernelJob(const KernelJob&) = delete;
  KernelJob& operator=(const KernelJob&) = delete;

  // Descriptor of the program for packets of `type` at the hook, and for a request on its way out.
  int program(aggbox_type type) const;
  int program(aggbox_request request) const;

  // The result of an owner's chunk, or nothing if it is not here yet.
  const std::uint64_t* result(std::uint32_t owner, std::uint64_t sequence) const;
  // From now on acknowledged() tells who has an own broadcast: bits of ranks, this one included.
  void expect_acknowledgments(std::uint64_t sequence);
  std::uint64_t acknowledged(std::uint64_t sequence) const;
  // Whether what is for all goes once, for the network to replicate; at first not.
  // For `aggbox status`: a collective took so long, `retransmissions` being those of the job so
  // far.
  void note_collective(std::chrono::nanoseconds duration, std::uint64_t retransmissions);
  void set_multicast(bool on);
  // Where what is sent to everybody goes: bits of ranks, to each of which a copy goes; 0: to all.
  void spread_to(std::uint64_t ranks);
  // How far a rank's process has read what this one has broadcast, as far as that is known here.
  std::uint64_t read_by(std::uint32_t rank) const;
  // And how far this one has read what `root` has.
  std::uint64_t read_here(std::uint32_t root) const;
  // What a root has sent, or nothing if it is not here yet; and leave for the kernel to take the
  // next into its place.
  const std::uint64_t* received(std::uint32_t root, std::uint64_t sequence) const;
  void release(std::uint32_t root, std::uint64_t sequence);

  // Sleeps until `results` more have come than had at the last call, or the time is over.
  void wait(std::uint64_t results, std::chrono::milliseconds most);

  std::uint64_t events(aggbox_event event) const;
  // Bits of the ranks whose contribution to a chunk of the own share has come.
  std::uint64_t seen(std::uint64_t sequence) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace aggbox
