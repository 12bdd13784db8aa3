#include "skein/bench/kernels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>

#include "skein/base/error.h"
#include "skein/bench/kernel_cases.h"
#include "skein/bench/measure.h"
#include "skein/bench/product_rates.h"

namespace skein {
namespace {

// Short calls are timed several at a time, since reading the clock takes up to a microsecond.
constexpr double kShortestSample = 1e-3;
constexpr size_t kFewestSamples = 5;
constexpr const char* kBestProduct = "best_product";

std::regex regex_of(const std::string& pattern) {
  try {
    return std::regex(pattern);
  } catch (const std::regex_error&) {
    throw UsageError(
        fmt::format("'{}' is no regular expression; expected one such as "
                    "'layer/|attention'",
                    pattern));
  }
}

[[noreturn]] void throw_nothing_found(const std::string& filter,
                                      const std::vector<KernelCase>& cases) {
  std::vector<std::string> names = {kBestProduct};
  for (const KernelCase& each : cases) {
    if (each.name != names.back()) names.push_back(each.name);
  }
  throw UsageError(
      fmt::format("no kernel matches '{}'; there are {}", filter, fmt::join(names, ", ")));
}

KernelSpeed best_product(DType type) {
  const Clock clock = work_clock();
  ProductRates rates(type, clock);
  rates.measure();
  const ProductRate best = rates.best();
  return {.name = kBestProduct,
          .shape = {best.shape[0], best.shape[1], best.shape[2]},
          .kind = Work::kOperations,
          .work = best.operations(),
          .seconds = best.seconds,
          .processor_time = clock == thread_seconds};
}

}  // namespace

std::string KernelCase::label() const {
  return shape.empty() ? name : fmt::format("{}/{}", name, fmt::join(shape, "/"));
}

std::vector<KernelCase> kernel_cases(DType type) {
  std::vector<KernelCase> cases;
  add_product_cases(type, cases);
  add_attention_cases(type, cases);
  add_pointwise_cases(type, cases);
  add_norm_cases(type, cases);
  add_convolution_cases(type, cases);
  add_embedding_cases(type, cases);
  add_update_cases(type, cases);
  return cases;
}

KernelSpeed measure_kernel(const KernelCase& kernel, double seconds) {
  const Clock clock = work_clock();
  const std::function<void()> call = kernel.prepare();
  call();
  double begin = clock();
  call();
  const auto calls =
      std::max<int64_t>(1, static_cast<int64_t>(kShortestSample / std::max(clock() - begin, 1e-9)));
  std::vector<double> samples;
  for (double total = 0; total < seconds || samples.size() < kFewestSamples;) {
    begin = clock();
    for (int64_t i = 0; i < calls; ++i) call();
    const double taken = clock() - begin;
    total += taken;
    samples.push_back(taken / static_cast<double>(calls));
  }
  return {.name = kernel.name,
          .shape = kernel.shape,
          .kind = kernel.kind,
          .work = kernel.work,
          .seconds = median(samples),
          .processor_time = clock == thread_seconds};
}

void measure_kernels(DType type, const KernelBenchmark& benchmark,
                     const std::function<void(const KernelSpeed&)>& report) {
  const std::regex regex = regex_of(benchmark.filter);
  const bool best = std::regex_search(kBestProduct, regex);
  const std::vector<KernelCase> all = kernel_cases(type);
  std::vector<KernelCase> chosen;
  for (const KernelCase& each : all) {
    if (std::regex_search(each.label(), regex)) chosen.push_back(each);
  }
  if (!best && chosen.empty()) throw_nothing_found(benchmark.filter, all);
  if (best) report(best_product(type));
  for (const KernelCase& each : chosen) report(measure_kernel(each, benchmark.seconds));
}

}  // namespace skein
