// An exponential moving average of the parameters, which often translates better than they do.
// Polyak & Juditsky 1992; the decay's warm-up min(decay, (1 + t) / (10 + t)) as in TensorFlow and
// Marian, so that the first random values are soon forgotten.
#pragma once

#include <cstdint>

#include "skein/base/settings.h"
#include "skein/optim/optimizer.h"

namespace skein {

struct MovingAverageOptions {
  double decay = 0;  // 0: no average is kept
  bool warmup = true;

  // Binds every member under `average.`.
  void bind(Settings& settings);
};

class MovingAverage {
 public:
  // Begins as a copy of the values. Requires decay > 0.
  MovingAverage(const MovingAverageOptions& options, const FlatParameters& parameters);

  // After every update of the parameters.
  void update();

  // The decay of update t, from 1.
  double decay(int64_t t) const;

  // As long as it lives, the parameters (and their bf16 copies) are the average.
  class InUse {
   public:
    explicit InUse(MovingAverage& average) : average_(average) { average_.exchange(); }
    ~InUse() { average_.exchange(); }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;

   private:
    MovingAverage& average_;
  };

  // Under the parameters' names; writing to them restores the average.
  std::vector<NamedTensor> averages() const { return named_views(parameters_, average_); }
  NamedNumbers state_numbers() const;
  // Throws FormatError if a number is missing.
  void restore_numbers(const NamedNumbers& numbers);

 private:
  void exchange();

  MovingAverageOptions options_;
  FlatParameters parameters_;
  Tensor average_;  // [size] f32
  int64_t updates_ = 0;
};

}  // namespace skein
