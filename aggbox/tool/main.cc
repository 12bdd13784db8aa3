// The `aggbox` command: one function a subcommand, no logic of its own.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <thread>
#include <vector>

#include "aggbox/aggbox/dispatcher.h"
#include "aggbox/aggbox/doctor.h"
#include "aggbox/aggbox/error.h"
#include "aggbox/aggbox/lab.h"
#include "aggbox/aggbox/lab_mpi.h"
#include "aggbox/aggbox/status.h"
#include "aggbox/tool/bench.h"

namespace aggbox::command {
namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;

void add_hook(CLI::App& app, std::optional<Hook>& hook) {
  app.add_option("--hook", hook,
                 "frames (XDP) or super-packets (TC); default: what the driver is better at")
      ->transform(CLI::Transformer(std::map<std::string, Hook>{
          {"frames", Hook::kFrames}, {"super-packets", Hook::kSuperPackets}}));
}

void add_up_and_down(CLI::App& app) {
  const auto interface = std::make_shared<std::string>();
  const auto hook = std::make_shared<std::optional<Hook>>();
  CLI::App* up = app.add_subcommand("up", "Attach AggBox to an interface of this host");
  up->add_option("--interface", *interface, "As `ip link` names it")->required();
  add_hook(*up, *hook);
  up->callback(
      [interface, hook] { attach_dispatcher(*interface, hook->value_or(best_hook(*interface))); });
  CLI::App* down = app.add_subcommand("down", "Take it away, with all that jobs left");
  down->add_option("--interface", *interface, "As `ip link` names it")->required();
  down->callback([interface] {
    if (!detach_dispatcher(*interface)) fmt::print("AggBox is not up on {}\n", *interface);
  });
}

void add_doctor(CLI::App& app, int& exit_code) {
  const auto interface = std::make_shared<std::string>();
  CLI::App* doctor =
      app.add_subcommand("doctor", "May this machine run AggBox, and what to change");
  doctor->add_option("--interface", *interface, "Look at it as well");
  doctor->callback([interface, &exit_code] {
    std::vector<Finding> findings = examine_host();
    if (!interface->empty()) {
      for (Finding& finding : examine_interface(*interface)) findings.push_back(std::move(finding));
    }
    for (const Finding& finding : findings) {
      const char* kind = finding.kind == Finding::Kind::kGood     ? "good"
                         : finding.kind == Finding::Kind::kAdvice ? "note"
                                                                  : "FAULT";
      fmt::print("{:5}  {}\n", kind, finding.text);
      if (finding.kind == Finding::Kind::kFault) exit_code = kFailure;
    }
  });
}

void add_status(CLI::App& app) {
  const auto json = std::make_shared<bool>(false);
  const auto every = std::make_shared<double>(0);
  CLI::App* status = app.add_subcommand("status", "What the jobs of this host do");
  status->add_flag("--json", *json, "A line for every interface");
  status->add_option("--every", *every, "Seconds, again and again until it is interrupted")
      ->check(CLI::Range(0.1, 86400.0));
  status->callback([json, every] {
    for (;;) {
      const std::vector<InterfaceStatus> all = status_here();
      if (all.empty() && !*json) fmt::print("AggBox is not up on any interface here\n");
      for (const InterfaceStatus& each : all)
        fmt::print("{}", *json ? to_json(each) + "\n" : to_text(each));
      std::fflush(stdout);
      if (*every == 0) return;
      std::this_thread::sleep_for(std::chrono::duration<double>(*every));
    }
  });
}

void add_lab_mpi(CLI::App& lab, int& exit_code) {
  const auto options = std::make_shared<LabMpiOptions>();
  CLI::App* mpirun = lab.add_subcommand("mpirun", "Run an Open MPI program over the hosts");
  mpirun->add_option("--ranks-per-host", options->ranks_per_host, "How many")
      ->capture_default_str();
  mpirun
      ->add_option("command", options->arguments,
                   "After --: the program and its arguments; options of mpirun may come before it")
      ->required();
  mpirun->callback([options, &exit_code] { exit_code = run_mpi_in_lab(*options); });

  // Called by that mpirun.
  const auto address = std::make_shared<std::string>();
  CLI::App* agent = lab.add_subcommand("agent", "")->group("")->prefix_command();
  agent->add_option("host", *address)->required();
  agent->callback([address, agent] { run_as_remote_shell(*address, agent->remaining()); });
}

void add_lab_fault(CLI::App& lab, const char* name, const char* what,
                   std::size_t (*inflict)(std::uint32_t)) {
  const auto host = std::make_shared<std::uint32_t>(0);
  CLI::App* command = lab.add_subcommand(name, what);
  command->add_option("--host", *host, "From 1")->required();
  command->callback(
      [host, inflict] { fmt::print("{} processes of host {}\n", inflict(*host), *host); });
}

void add_lab(CLI::App& app, int& exit_code) {
  CLI::App* lab = app.add_subcommand("lab", "Hosts on this machine, in network namespaces");
  lab->require_subcommand(1);

  const auto options = std::make_shared<LabOptions>();
  const auto frames = std::make_shared<bool>(false);
  CLI::App* up = lab->add_subcommand("up", "Build the hosts 10.77.0.1 to 10.77.0.N, up for AggBox");
  up->add_option("--hosts", options->hosts, "How many")->capture_default_str();
  up->add_option("--mtu", options->mtu, "Bytes")->capture_default_str();
  up->add_flag(
      "--frames", *frames,
      "Hosts send frame by frame, as on a wire; else super-packets, as between containers");
  up->add_option("--rate", options->rate,
                 "Bits a second of a host's wire, as 1gbit, 100mbit (default: not bounded)")
      ->transform(CLI::AsNumberWithUnit(
          std::map<std::string, std::uint64_t>{
              {"bit", 1}, {"kbit", 1'000}, {"mbit", 1'000'000}, {"gbit", 1'000'000'000}},
          CLI::AsNumberWithUnit::CASE_INSENSITIVE, "BITS"));
  const auto hook = std::make_shared<std::optional<Hook>>();
  add_hook(*up, *hook);
  up->callback([options, frames, hook] {
    options->super_packets = !*frames;
    options->hook = hook->value_or(options->hook);
    Lab::up(*options);
  });

  const auto host = std::make_shared<std::uint32_t>(0);
  const auto command = std::make_shared<std::vector<std::string>>();
  CLI::App* run = lab->add_subcommand("run", "Run a command on every host, or on one");
  run->add_option("--host", *host, "From 1 (default: every host)");
  run->add_option("command", *command, "After --")->required();
  run->callback([host, command, run, &exit_code] {
    exit_code = Lab::run(*command, run->count("--host") ? std::optional(*host) : std::nullopt);
  });

  add_lab_mpi(*lab, exit_code);
  add_lab_fault(*lab, "freeze", "The processes of a host stand still", &Lab::freeze);
  add_lab_fault(*lab, "thaw", "They go on", &Lab::thaw);
  add_lab_fault(*lab, "kill", "They end at once", &Lab::kill);

  lab->add_subcommand("down", "End what runs in the hosts and remove them")->callback([] {
    if (!Lab::down()) fmt::print("no lab is up\n");
  });
}

int run(int argc, char** argv) {
  CLI::App app("Collectives in the kernel, over plain Ethernet");
  app.require_subcommand(1);
  int exit_code = 0;
  add_up_and_down(app);
  add_doctor(app, exit_code);
  add_status(app);
  add_lab(app, exit_code);
  add_bench_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "aggbox: {}; `aggbox --help` lists what is possible\n", error.what());
    return kUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "aggbox: {}\n", error.what());
    return kFailure;
  }
  return exit_code;
}

}  // namespace
}  // namespace aggbox::command

int main(int argc, char** argv) { return aggbox::command::run(argc, argv); }
