#include "skein/optim/adafactor.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "skein/base/parallel.h"
#include "skein/optim/norm.h"

namespace skein {
namespace {

constexpr int64_t kGrain = 8192;  // elements that are worth a thread

// A parameter of at least two extents as matrices, one after another.
struct Matrices {
  int64_t count = 0;
  int64_t rows = 0;
  int64_t columns = 0;

  explicit Matrices(const Shape& shape)
      : rows(shape[shape.rank() - 2]), columns(shape[shape.rank() - 1]) {
    count = rows * columns == 0 ? 0 : shape.elements() / (rows * columns);
  }
};

bool factored(const Shape& shape) { return shape.rank() >= 2; }

Shape without_extent(const Shape& shape, int index) {
  std::vector<int64_t> extents;
  for (int i = 0; i < shape.rank(); ++i) {
    if (i != index) extents.push_back(shape[i]);
  }
  return Shape(std::span<const int64_t>(extents));
}

double square_plus(float gradient, double scale, double epsilon) {
  const double g = scale * static_cast<double>(gradient);
  return g * g + epsilon;
}

// How a running mean square takes in the gradient's.
struct Averaging {
  double beta2 = 0;
  double gradient_scale = 1;
  double epsilon = 0;

  void add(float& running, double mean_square) const {
    running = static_cast<float>(beta2 * static_cast<double>(running) + (1 - beta2) * mean_square);
  }
};

void average_rows(const Averaging& averaging, const Matrices& m, const Tensor& gradient,
                  Tensor& means) {
  const float* g = gradient.data<float>();
  float* mean = means.data<float>();
  parallel_for(
      m.count * m.rows, std::max<int64_t>(kGrain / m.columns, 1), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          double sum = 0;
          for (int64_t c = 0; c < m.columns; ++c) {
            sum += square_plus(g[row * m.columns + c], averaging.gradient_scale, averaging.epsilon);
          }
          averaging.add(mean[row], sum / static_cast<double>(m.columns));
        }
      });
}

// Each column is summed by one thread in the order of the rows, so the sums do not depend on the
// number of threads.
void average_columns(const Averaging& averaging, const Matrices& m, const Tensor& gradient,
                     Tensor& means) {
  std::vector<double> sums(static_cast<size_t>(m.columns));
  for (int64_t matrix = 0; matrix < m.count; ++matrix) {
    const float* g = gradient.data<float>() + matrix * m.rows * m.columns;
    float* mean = means.data<float>() + matrix * m.columns;
    parallel_for(
        m.columns, std::max<int64_t>(kGrain / m.rows, 16), [&](int64_t begin, int64_t end) {
          double* sum = sums.data();
          std::fill(sum + begin, sum + end, 0.0);
          for (int64_t row = 0; row < m.rows; ++row) {
            for (int64_t c = begin; c < end; ++c) {
              sum[c] +=
                  square_plus(g[row * m.columns + c], averaging.gradient_scale, averaging.epsilon);
            }
          }
          for (int64_t c = begin; c < end; ++c) {
            averaging.add(mean[c], sum[c] / static_cast<double>(m.rows));
          }
        });
  }
}

// update = gradient / sqrt(row mean / mean of row means) / sqrt(column mean)
void factored_update(double gradient_scale, const Matrices& m, const Tensor& gradient,
                     const Tensor& row_means, const Tensor& column_means, float* update) {
  std::vector<float> column_factors(static_cast<size_t>(m.columns));
  for (int64_t matrix = 0; matrix < m.count; ++matrix) {
    const float* g = gradient.data<float>() + matrix * m.rows * m.columns;
    const float* row_mean = row_means.data<float>() + matrix * m.rows;
    const float* column_mean = column_means.data<float>() + matrix * m.columns;
    float* out = update + matrix * m.rows * m.columns;
    double total = 0;
    for (int64_t row = 0; row < m.rows; ++row) total += static_cast<double>(row_mean[row]);
    for (int64_t c = 0; c < m.columns; ++c) {
      column_factors[static_cast<size_t>(c)] = 1 / std::sqrt(column_mean[c]);
    }
    const double mean = total / static_cast<double>(m.rows);
    parallel_for(m.rows, std::max<int64_t>(kGrain / m.columns, 1), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const auto factor = static_cast<float>(
            gradient_scale / std::sqrt(static_cast<double>(row_mean[row]) / mean));
        for (int64_t c = 0; c < m.columns; ++c) {
          out[row * m.columns + c] =
              factor * column_factors[static_cast<size_t>(c)] * g[row * m.columns + c];
        }
      }
    });
  }
}

void plain_update(const Averaging& averaging, const Tensor& gradient, Tensor& square,
                  float* update) {
  const float* g = gradient.data<float>();
  float* s = square.data<float>();
  parallel_for(gradient.elements(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      averaging.add(s[i], square_plus(g[i], averaging.gradient_scale, averaging.epsilon));
      update[i] = static_cast<float>(averaging.gradient_scale) * g[i] / std::sqrt(s[i]);
    }
  });
}

double root_mean_square(std::span<const float> values) {
  if (values.empty()) return 0;
  return std::sqrt(sum_of_squares(values) / static_cast<double>(values.size()));
}

}  // namespace

Adafactor::Adafactor(const OptimizerOptions& options, const FlatParameters& parameters)
    : options_(options.adafactor), weight_decay_(options.weight_decay), parameters_(parameters) {
  int64_t largest = 0;
  for (const FlatParameters::Part& part : parameters.parts) {
    State state;
    if (factored(part.shape)) {
      state.rows = Tensor::zeros(without_extent(part.shape, part.shape.rank() - 1), DType::kF32);
      state.columns = Tensor::zeros(without_extent(part.shape, part.shape.rank() - 2), DType::kF32);
    } else {
      state.square = Tensor::zeros(part.shape, DType::kF32);
    }
    if (options_.beta1 > 0) state.average = Tensor::zeros(part.shape, DType::kF32);
    states_.push_back(std::move(state));
    largest = std::max(largest, part.shape.elements());
  }
  scratch_ = Tensor::zeros({largest}, DType::kF32);
}

void Adafactor::step(const UpdateStep& step) {
  ++updates_;
  const auto t = static_cast<double>(updates_);
  Rates rates{.lr = step.lr,
              .beta2 = 1 - std::pow(t, -options_.decay_rate),
              .gradient_scale = step.gradient_scale};
  if (options_.relative_step) {
    rates.lr = std::min(options_.warmup ? 1e-6 * t : 1e-2, 1 / std::sqrt(t));
  }
  for (size_t i = 0; i < states_.size(); ++i) {
    if (parameters_.parts[i].shape.elements() > 0) update(parameters_.parts[i], states_[i], rates);
  }
}

double Adafactor::rate_of(const Tensor& values, double lr) const {
  if (!options_.scale_parameter) return lr;
  return lr * std::max(options_.smallest_scale, root_mean_square(values.values<float>()));
}

void Adafactor::update(const FlatParameters::Part& part, State& state, const Rates& rates) {
  const Tensor gradient = view(parameters_.gradients, part);
  Tensor values = view(parameters_.values, part);
  const double lr = rate_of(values, rates.lr);
  const int64_t count = part.shape.elements();
  const std::span<float> update = scratch_.values<float>().first(static_cast<size_t>(count));
  const Averaging averaging{
      .beta2 = rates.beta2, .gradient_scale = rates.gradient_scale, .epsilon = options_.epsilon};
  if (factored(part.shape)) {
    const Matrices matrices(part.shape);
    average_rows(averaging, matrices, gradient, state.rows);
    average_columns(averaging, matrices, gradient, state.columns);
    factored_update(rates.gradient_scale, matrices, gradient, state.rows, state.columns,
                    update.data());
  } else {
    plain_update(averaging, gradient, state.square, update.data());
  }
  const double clip = std::max(1.0, root_mean_square(update) / options_.clip_threshold);
  const auto scale = static_cast<float>(lr / clip);
  const auto keep = static_cast<float>(1 - weight_decay_ * lr);
  const auto beta1 = static_cast<float>(options_.beta1);
  float* value = values.data<float>();
  float* average = state.average.defined() ? state.average.data<float>() : nullptr;
  BFloat16* half = nullptr;
  if (parameters_.half.defined()) half = parameters_.half.data<BFloat16>() + part.offset;
  parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float change = scale * update[static_cast<size_t>(i)];
      if (average != nullptr) change = average[i] = beta1 * average[i] + (1 - beta1) * change;
      value[i] = keep * value[i] - change;
      if (half != nullptr) half[i] = BFloat16(value[i]);
    }
  });
}

std::vector<NamedTensor> Adafactor::state_tensors() const {
  std::vector<NamedTensor> all;
  for (size_t i = 0; i < states_.size(); ++i) {
    const std::string& name = parameters_.parts[i].name;
    const State& state = states_[i];
    if (state.rows.defined()) all.push_back({name + ".row_mean_square", state.rows});
    if (state.columns.defined()) all.push_back({name + ".column_mean_square", state.columns});
    if (state.square.defined()) all.push_back({name + ".mean_square", state.square});
    if (state.average.defined()) all.push_back({name + ".average_update", state.average});
  }
  return all;
}

NamedNumbers Adafactor::state_numbers() const { return {{"step", static_cast<double>(updates_)}}; }

void Adafactor::restore_numbers(const NamedNumbers& numbers) {
  updates_ = count_of(numbers, "step", "optimizer");
}

}  // namespace skein
