// The rate of every kernel at the sizes of a training step: 4096 tokens of Multi30k's lengths,
// transformer_small (256, 1024) and transformer_base (512, 2048), 10000 words. `copy` shows what
// the memory gives, best_product what the arithmetic does.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "skein/tensor/dtype.h"

namespace skein {

// What a kernel's time is set against.
enum class Work {
  kOperations,  // floating-point ones
  kBytes,       // read and written
};

struct KernelCase {
  std::string name;
  std::vector<int64_t> shape;
  Work kind = Work::kBytes;
  double work = 0;  // a call
  // Makes the operands, and returns the call.
  std::function<std::function<void()>()> prepare;

  // "layer/4096/512/512"
  std::string label() const;
};

// `type` of the activations, f32 or bf16.
std::vector<KernelCase> kernel_cases(DType type);

struct KernelSpeed {
  std::string name;
  std::vector<int64_t> shape;
  Work kind = Work::kBytes;
  double work = 0;              // a call
  double seconds = 0;           // a call, median
  bool processor_time = false;  // see work_clock()
};

// Calls the kernel for so many seconds, after one call that is not measured.
KernelSpeed measure_kernel(const KernelCase& kernel, double seconds);

struct KernelBenchmark {
  std::string filter = {};  // only what this regular expression finds in a label; empty: all
  double seconds = 0.5;     // for each kernel
};
// All of them, and first "best_product", which is ProductRates::best(). Each is told as soon as it
// is known. Throws UsageError if the filter is no regular expression or finds nothing.
void measure_kernels(DType type, const KernelBenchmark& benchmark,
                     const std::function<void(const KernelSpeed&)>& report);

}  // namespace skein
