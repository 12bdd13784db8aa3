#include "aggbox/tool/bench.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "aggbox/aggbox/environment.h"
#include "aggbox/aggbox/group.h"

namespace aggbox::command {
namespace {

struct BenchOptions {
  std::vector<std::string> collectives = {"all_reduce", "broadcast"};
  std::vector<std::size_t> bytes = {4, 65536, 4194304};
  std::uint32_t repeats = 50;
  std::uint32_t window = GroupOptions().window;
  bool header_tags = false;
  bool unicast = false;
};

// Time of this process on the processors, softirq on its account included, seconds.
double processor_seconds() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](timeval time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Microseconds; `times` in ascending order.
double percentile(const std::vector<double>& times, std::size_t percent) {
  return times[(times.size() - 1) * percent / 100];
}

// Of one size: a JSON line by rank 0, with the slowest rank's time of each repetition.
void measure(Group& group, std::size_t bytes, const BenchOptions& options) {
  std::vector<float> values(bytes / sizeof(float));
  std::vector<std::int64_t> times(options.repeats * group.size());
  double processor = 0;
  const Counters counters_before = group.counters();
  std::vector<float> before(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    before[i] = static_cast<float>(i % 1000) - 500 + static_cast<float>(group.rank());
  for (std::uint32_t repeat = 0; repeat < options.repeats; ++repeat) {
    values = before;
    group.barrier();
    const double processor_before = processor_seconds();
    const auto start = std::chrono::steady_clock::now();
    group.all_reduce(std::span(values));
    times[repeat * group.size() + group.rank()] =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() -
                                                             start)
            .count();
    processor += processor_seconds() - processor_before;
  }
  group.all_reduce(std::span(times));
  const Counters counters = group.counters();
  const auto since = [&](std::uint64_t Counters::*counter) {
    return static_cast<std::int64_t>(counters.*counter - counters_before.*counter);
  };
  std::vector<std::int64_t> totals = {static_cast<std::int64_t>(processor * 1e9),
                                      since(&Counters::retransmissions), since(&Counters::repeated),
                                      since(&Counters::duplicates)};
  group.all_reduce(std::span(totals));
  if (group.rank() != 0) return;
  std::vector<double> slowest;
  for (std::uint32_t repeat = 0; repeat < options.repeats; ++repeat) {
    const auto first = times.begin() + repeat * group.size();
    slowest.push_back(static_cast<double>(*std::max_element(first, first + group.size())) * 1e-3);
  }
  std::sort(slowest.begin(), slowest.end());
  fmt::print(
      "{{\"collective\": \"all_reduce\", \"type\": \"f32\", \"ranks\": {}, \"bytes\": {}, "
      "\"repeats\": {}, \"window\": {}, "
      "\"p50_us\": {:.1f}, \"p99_us\": {:.1f}, \"cpu_ms\": {:.3f}, \"retransmissions\": {}, "
      "\"repeated\": {}, \"duplicates\": {}}}\n",
      group.size(), bytes, options.repeats, options.window, percentile(slowest, 50),
      percentile(slowest, 99), static_cast<double>(totals[0]) * 1e-6 / options.repeats, totals[1],
      totals[2], totals[3]);
}

// Of one size, from rank 0, until it knows that all kernels have the bytes.
void measure_broadcast(Group& group, std::size_t bytes, const BenchOptions& options) {
  std::vector<std::uint8_t> values(bytes);
  std::vector<double> times;
  for (std::uint32_t repeat = 0; repeat < options.repeats; ++repeat) {
    group.barrier();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    const auto start = std::chrono::steady_clock::now();
    group.broadcast(values, 0);
    times.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
            .count());
  }
  if (group.rank() != 0) return;
  std::sort(times.begin(), times.end());
  fmt::print(
      "{{\"collective\": \"broadcast\", \"ranks\": {}, \"bytes\": {}, \"repeats\": {}, "
      "\"acknowledged_p50_us\": {:.1f}, "
      "\"acknowledged_p99_us\": {:.1f}}}\n",
      group.size(), bytes, options.repeats, percentile(times, 50), percentile(times, 99));
}

CLI::Validator whole_floats() {
  return {[](const std::string& text) -> std::string {
            if (std::stoull(text) % sizeof(float) == 0) return "";
            return fmt::format("{} bytes are no whole number of float32", text);
          },
          ""};
}

}  // namespace

void add_bench_command(CLI::App& app) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App* bench = app.add_subcommand("bench",
                                       "Measure all-reduce of float32 and broadcast; on every "
                                       "host, as by `aggbox lab run -- aggbox bench`");
  bench->add_option("--collective", options->collectives, "Which")
      ->check(CLI::IsMember({"all_reduce", "broadcast"}))
      ->capture_default_str();
  bench->add_option("--bytes", options->bytes, "Sizes")
      ->check(CLI::Range(std::size_t{4}, std::size_t{1} << 30))
      ->check(whole_floats())
      ->capture_default_str();
  bench->add_option("--repeats", options->repeats, "Of each size")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  bench->add_option("--window", options->window, "Chunks of an owner in flight")
      ->check(CLI::IsMember({2, 4, 8, 16, 32, 64, 128, 256}))
      ->capture_default_str();
  bench->add_flag("--header-tags", options->header_tags, "Tags cover headers only");
  bench->add_flag("--unicast", options->unicast, "Don't let the network replicate packets");
  bench->callback([options] {
    GroupOptions group_options = options_from_environment();
    group_options.window = options->window;
    group_options.authenticate_payload = !options->header_tags;
    group_options.multicast = !options->unicast;
    Group group(group_options);
    for (const std::size_t bytes : options->bytes) {
      for (const std::string& collective : options->collectives) {
        if (collective == "broadcast") {
          measure_broadcast(group, bytes, *options);
        } else {
          measure(group, bytes, *options);
        }
      }
    }
  });
}

}  // namespace aggbox::command
