#include "skein/comm/aggbox/plugin.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "aggbox/aggbox/environment.h"
#include "aggbox/aggbox/error.h"
#include "aggbox/aggbox/interface.h"
#include "aggbox/aggbox/reserved_port.h"
#include "skein/comm/aggbox/aggbox_communicator.h"
#include "skein/comm/agreement.h"

namespace skein {
namespace {

std::string text_of(std::uint32_t address) {
  std::array<char, INET_ADDRSTRLEN> text = {};
  ::inet_ntop(AF_INET, &address, text.data(), text.size());
  return text.data();
}

// What AggBox cannot do here is a mistake of the user who asked for it.
template <typename Work>
auto as_usage(Work work) {
  try {
    return work();
  } catch (const aggbox::Error& error) {
    throw UsageError(fmt::format(
        "--collectives aggbox is not possible: {}; or leave it to MPI by --collectives mpi",
        error.what()));
  }
}

// Two members of a group with one address would be one to the others.
void require_one_rank_a_host(const Gathered& addresses) {
  std::map<std::string, size_t> ranks;
  for (size_t rank = 0; rank < addresses.size(); ++rank) {
    const auto [first, is_new] = ranks.emplace(addresses[rank], rank);
    if (is_new) continue;
    throw UsageError(
        fmt::format("--collectives aggbox is not possible: ranks {} and {} are both on the host "
                    "{}, and a group "
                    "has one rank a host; start one process a host (mpirun --map-by ppr:1:node), "
                    "or leave it to "
                    "MPI by --collectives mpi",
                    first->second, rank, addresses[rank]));
  }
}

}  // namespace
}  // namespace skein

using namespace skein;

Communicator* skein_start_aggbox(std::unique_ptr<Communicator>* messages, double timeout) {
  Communicator& all = **messages;
  aggbox::GroupOptions options;
  options.rank = static_cast<std::uint32_t>(all.rank());
  options.size = static_cast<std::uint32_t>(all.size());
  options.path = aggbox::Path::kKernel;
  options.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * timeout));
  std::uint32_t address = 0;
  std::optional<aggbox::ReservedPort> port;
  together(all, [&] {
    as_usage([&] {
      options.interface = aggbox::usable_interface();
      address = aggbox::find_interface(options.interface).member.address;
      if (all.rank() == 0) port.emplace(address);
    });
  });
  const Gathered addresses = all.all_gather(text_of(address));
  together(all, [&] { require_one_rank_a_host(addresses); });
  const std::string coordinator =
      port ? fmt::format("{}:{}", text_of(address), port->number()) : "";
  options.coordinator = all.all_gather(coordinator)[0];
  std::unique_ptr<aggbox::Group> group;
  together(all, [&] { as_usage([&] { group = std::make_unique<aggbox::Group>(options); }); });
  return new AggboxCommunicator(std::move(*messages), std::move(group), options.interface);
}
