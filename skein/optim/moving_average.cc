#include "skein/optim/moving_average.h"

#include <algorithm>

#include "skein/base/parallel.h"
#include "skein/kernels/elementwise.h"
#include "skein/kernels/update.h"

namespace skein {

void MovingAverageOptions::bind(Settings& settings) {
  settings.add("average.decay", &decay,
               "decay of the moving average of parameters that validation and the best checkpoint "
               "use; 0: none",
               {0, 0.99999999});
  settings.add("average.warmup", &warmup, "start with a smaller decay");
}

MovingAverage::MovingAverage(const MovingAverageOptions& options, const FlatParameters& parameters)
    : options_(options), parameters_(parameters), average_(parameters.values.copy()) {}

double MovingAverage::decay(int64_t t) const {
  if (!options_.warmup) return options_.decay;
  const auto count = static_cast<double>(t);
  return std::min(options_.decay, (1 + count) / (10 + count));
}

void MovingAverage::update() {
  ++updates_;
  kernels::moving_average(static_cast<float>(decay(updates_)), parameters_.values, average_);
}

void MovingAverage::exchange() {
  float* values = parameters_.values.data<float>();
  float* averages = average_.data<float>();
  parallel_for(average_.elements(), 8192, [&](int64_t begin, int64_t end) {
    std::swap_ranges(values + begin, values + end, averages + begin);
  });
  if (parameters_.half.defined()) kernels::convert(parameters_.values, parameters_.half);
}

NamedNumbers MovingAverage::state_numbers() const {
  return {{"updates", static_cast<double>(updates_)}};
}

void MovingAverage::restore_numbers(const NamedNumbers& numbers) {
  updates_ = count_of(numbers, "updates", "moving average");
}

}  // namespace skein
