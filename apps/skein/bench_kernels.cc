// `skein bench kernels`.
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/skein/bench.h"
#include "skein/base/parallel.h"
#include "skein/bench/kernels.h"
#include "skein/train/options.h"

namespace skein::command {
namespace {

struct KernelArguments {
  std::string precision = "auto";
  KernelBenchmark benchmark;
};

void run(const KernelArguments& arguments) {
  const DType type = activation_type(arguments.precision);
  measure_kernels(type, arguments.benchmark, [&](const KernelSpeed& speed) {
    print_measurement({{"benchmark", "kernels"},
                       {"kernel", speed.name},
                       {"shape", speed.shape},
                       {"precision", precision_name(type)},
                       {"threads", threads()},
                       {"seconds", speed.seconds},
                       {"clock", speed.processor_time ? "processor" : "wall"},
                       {speed.kind == Work::kOperations ? "gflops" : "gb_per_second",
                        speed.work / speed.seconds / 1e9}});
  });
}

}  // namespace

void add_bench_kernels(CLI::App& bench) {
  auto arguments = std::make_shared<KernelArguments>();
  CLI::App* kernels =
      bench.add_subcommand("kernels", "Rates of the kernels at the sizes of a training step");
  kernels->add_option("--filter", arguments->benchmark.filter,
                      "Only kernels that a regular expression finds in NAME/SHAPE, such as "
                      "'^layer/4096/|norm'");
  kernels->add_option("--precision", arguments->precision, "Type of activations")
      ->check(CLI::IsMember({"auto", "bf16", "f32"}))
      ->capture_default_str();
  kernels->add_option("--seconds", arguments->benchmark.seconds, "Measured for each kernel")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  kernels->callback([arguments] { run(*arguments); });
}

}  // namespace skein::command
