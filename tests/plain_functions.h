// The functions of autograd/ once more, in double precision and plain loops, written from their
// equations: what the fast ones are compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "skein/kernels/activation.h"
#include "skein/kernels/attention.h"
#include "skein/kernels/elementwise.h"

namespace skein::plain {

struct Matrix {
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<double> values;  // row-major

  Matrix() = default;  // undefined
  Matrix(int64_t row_count, int64_t column_count)
      : rows(row_count),
        columns(column_count),
        values(static_cast<size_t>(row_count * column_count)) {}
  Matrix(int64_t row_count, int64_t column_count, std::vector<double> content)
      : rows(row_count), columns(column_count), values(std::move(content)) {}

  double& operator()(int64_t row, int64_t column) {
    return values[static_cast<size_t>(row * columns + column)];
  }
  double operator()(int64_t row, int64_t column) const {
    return values[static_cast<size_t>(row * columns + column)];
  }
};

inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

inline double activate(kernels::Activation kind, double x) {
  switch (kind) {
    case kernels::Activation::kNone:
      return x;
    case kernels::Activation::kRelu:
      return std::max(x, 0.0);
    case kernels::Activation::kGelu:
      return x * 0.5 * (1 + std::erf(x / std::numbers::sqrt2));
    case kernels::Activation::kSilu:
      return x * sigmoid(x);
  }
  return x;
}

inline double open_gate(kernels::Gate kind, double x) {
  switch (kind) {
    case kernels::Gate::kSigmoid:
      return sigmoid(x);
    case kernels::Gate::kGelu:
      return activate(kernels::Activation::kGelu, x);
    case kernels::Gate::kSilu:
      return activate(kernels::Activation::kSilu, x);
  }
  return x;
}

// x weightᵀ + bias; an empty bias is none.
inline Matrix linear(const Matrix& x, const Matrix& weight, const Matrix& bias = {}) {
  Matrix y(x.rows, weight.rows);
  for (int64_t r = 0; r < y.rows; ++r) {
    for (int64_t o = 0; o < y.columns; ++o) {
      double sum = bias.values.empty() ? 0 : bias(0, o);
      for (int64_t i = 0; i < x.columns; ++i) sum += x(r, i) * weight(o, i);
      y(r, o) = sum;
    }
  }
  return y;
}

inline Matrix activation(kernels::Activation kind, Matrix x) {
  for (double& value : x.values) value = activate(kind, value);
  return x;
}

inline Matrix glu(kernels::Gate kind, const Matrix& x) {
  Matrix y(x.rows, x.columns / 2);
  for (int64_t r = 0; r < y.rows; ++r) {
    for (int64_t c = 0; c < y.columns; ++c)
      y(r, c) = x(r, c) * open_gate(kind, x(r, c + y.columns));
  }
  return y;
}

inline Matrix dropout(const kernels::Dropout& mask, Matrix x) {
  for (size_t i = 0; i < x.values.size(); ++i) {
    x.values[i] *= static_cast<double>(kernels::dropout_factor(mask, i));
  }
  return x;
}

inline Matrix add(Matrix a, const Matrix& b) {
  for (size_t i = 0; i < a.values.size(); ++i) a.values[i] += b.values[i];
  return a;
}

// Ba et al. 2016, equations 3 and 4, with epsilon inside the root.
inline Matrix layer_norm(const Matrix& x, const Matrix& gain, const Matrix& bias,
                         double epsilon = 1e-5) {
  Matrix y(x.rows, x.columns);
  const auto width = static_cast<double>(x.columns);
  for (int64_t r = 0; r < x.rows; ++r) {
    double mean = 0, variance = 0;
    for (int64_t c = 0; c < x.columns; ++c) mean += x(r, c) / width;
    for (int64_t c = 0; c < x.columns; ++c) variance += std::pow(x(r, c) - mean, 2) / width;
    for (int64_t c = 0; c < x.columns; ++c) {
      y(r, c) = (x(r, c) - mean) / std::sqrt(variance + epsilon) * gain(0, c) + bias(0, c);
    }
  }
  return y;
}

// scale * table[ids] + positions[position_rows]; empty positions are none.
inline Matrix embed(std::span<const int32_t> ids, std::span<const int32_t> position_rows,
                    const Matrix& table, const Matrix& positions, double scale) {
  Matrix y(static_cast<int64_t>(ids.size()), table.columns);
  for (size_t i = 0; i < ids.size(); ++i) {
    for (int64_t c = 0; c < table.columns; ++c) {
      y(static_cast<int64_t>(i), c) =
          scale * table(ids[i], c) +
          (positions.values.empty() ? 0 : positions(position_rows[i], c));
    }
  }
  return y;
}

inline Matrix columns(const Matrix& x, int64_t begin, int64_t width) {
  Matrix y(x.rows, width);
  for (int64_t r = 0; r < x.rows; ++r) {
    for (int64_t c = 0; c < width; ++c) y(r, c) = x(r, begin + c);
  }
  return y;
}

struct Attention {
  std::span<const int32_t> query_offsets;
  std::span<const int32_t> key_offsets;
  int64_t heads = 1;
  bool causal = false;
  kernels::Dropout dropout = {};
  double scale = 0;  // of the scores; 0: (width / heads)^-0.5
};

// Vaswani et al. 2017, equation 1, head by head and sentence by sentence, with dropout of the
// probabilities. A query that sees no key gives zeros.
inline Matrix attention(const Attention& options, const Matrix& queries, const Matrix& keys,
                        const Matrix& values) {
  Matrix out(queries.rows, queries.columns);
  const int64_t dim = queries.columns / options.heads;
  const double scale = options.scale != 0 ? options.scale : 1 / std::sqrt(static_cast<double>(dim));
  const kernels::AttentionShape shape{options.query_offsets, options.key_offsets, options.heads, 1,
                                      options.causal,        options.dropout};
  for (size_t s = 0; s + 1 < options.query_offsets.size(); ++s) {
    const int64_t first_query = options.query_offsets[s], last_query = options.query_offsets[s + 1];
    const int64_t first_key = options.key_offsets[s];
    const int64_t key_count = options.key_offsets[s + 1] - first_key;
    for (int64_t q = first_query; q < last_query; ++q) {
      const int64_t seen =
          options.causal ? key_count - (last_query - first_query) + q - first_query + 1 : key_count;
      for (int64_t head = 0; head < options.heads; ++head) {
        const kernels::Dropout mask = kernels::attention_row_dropout(shape, q, head);
        std::vector<double> weights;
        double sum = 0;
        for (int64_t k = 0; k < seen; ++k) {
          double score = 0;
          for (int64_t c = head * dim; c < (head + 1) * dim; ++c) {
            score += queries(q, c) * keys(first_key + k, c);
          }
          weights.push_back(std::exp(scale * score));
          sum += weights.back();
        }
        for (int64_t k = 0; k < seen; ++k) {
          const double factor = kernels::dropout_factor(mask, static_cast<uint64_t>(k));
          for (int64_t c = head * dim; c < (head + 1) * dim; ++c) {
            out(q, c) += weights[static_cast<size_t>(k)] / sum * factor * values(first_key + k, c);
          }
        }
      }
    }
  }
  return out;
}

// The taps of an output lie side by side in weight [out, width * in]; a window begins `left` rows
// before its own, and what lies outside the sentence counts as zero.
struct Convolution {
  std::span<const int32_t> offsets;
  int64_t width = 1;
  int64_t left = 0;
};
inline Matrix convolution(const Convolution& window, const Matrix& x, const Matrix& weight,
                          const Matrix& bias = {}) {
  Matrix y(x.rows, weight.rows);
  for (size_t s = 0; s + 1 < window.offsets.size(); ++s) {
    const int64_t begin = window.offsets[s], end = window.offsets[s + 1];
    for (int64_t t = begin; t < end; ++t) {
      for (int64_t o = 0; o < y.columns; ++o) {
        y(t, o) = bias.values.empty() ? 0 : bias(0, o);
        for (int64_t tap = 0; tap < window.width; ++tap) {
          const int64_t row = t - window.left + tap;
          if (row < begin || row >= end) continue;
          for (int64_t i = 0; i < x.columns; ++i)
            y(t, o) += x(row, i) * weight(o, tap * x.columns + i);
        }
      }
    }
  }
  return y;
}

// Salimans & Kingma 2016, equation 2, row by row; zero where the direction is.
inline Matrix weight_norm(const Matrix& direction, const Matrix& length) {
  Matrix weight = direction;
  for (int64_t r = 0; r < weight.rows; ++r) {
    double square = 0;
    for (int64_t c = 0; c < weight.columns; ++c) square += direction(r, c) * direction(r, c);
    for (int64_t c = 0; c < weight.columns; ++c) {
      weight(r, c) *= square == 0 ? 0 : length.values[static_cast<size_t>(r)] / std::sqrt(square);
    }
  }
  return weight;
}

inline Matrix scale(double factor, Matrix x) {
  for (double& value : x.values) value *= factor;
  return x;
}

struct CrossEntropy {
  double smoothed = 0;
  double plain = 0;
};

// 1 - smoothing on the target and smoothing / (v - 1) on every other word; summed over rows.
inline CrossEntropy cross_entropy(const Matrix& logits, std::span<const int32_t> targets,
                                  double smoothing) {
  CrossEntropy total;
  const double other =
      logits.columns == 1 ? 0 : smoothing / static_cast<double>(logits.columns - 1);
  for (int64_t r = 0; r < logits.rows; ++r) {
    double sum = 0;
    for (int64_t w = 0; w < logits.columns; ++w) sum += std::exp(logits(r, w));
    for (int64_t w = 0; w < logits.columns; ++w) {
      const double surprise = std::log(sum) - logits(r, w);
      const bool target = w == targets[static_cast<size_t>(r)];
      if (target) total.plain += surprise;
      total.smoothed += (target ? 1 - smoothing : other) * surprise;
    }
  }
  return total;
}

inline Matrix select_rows(const Matrix& x, std::span<const int32_t> rows) {
  Matrix y(static_cast<int64_t>(rows.size()), x.columns);
  for (int64_t r = 0; r < y.rows; ++r) {
    for (int64_t c = 0; c < y.columns; ++c) y(r, c) = x(rows[static_cast<size_t>(r)], c);
  }
  return y;
}

inline Matrix transpose(const Matrix& x) {
  Matrix y(x.columns, x.rows);
  for (int64_t r = 0; r < x.rows; ++r) {
    for (int64_t c = 0; c < x.columns; ++c) y(c, r) = x(r, c);
  }
  return y;
}

inline Matrix log_softmax(Matrix x) {
  for (int64_t r = 0; r < x.rows; ++r) {
    double sum = 0;
    for (int64_t c = 0; c < x.columns; ++c) sum += std::exp(x(r, c));
    for (int64_t c = 0; c < x.columns; ++c) x(r, c) -= std::log(sum);
  }
  return x;
}

// Grave et al. 2017: words below ends[0] have their place in the head, and band b > 0, which ends
// at ends[b], the class ends[0] + b - 1 of the head and a softmax of its own.
struct AdaptiveSoftmax {
  std::vector<int64_t> ends;
  Matrix head;              // [ends[0] + bands - 1, features]
  std::vector<Matrix> in;   // of band b: in[b - 1] [width, features]
  std::vector<Matrix> out;  // [words, width]

  // [n, vocabulary]
  Matrix log_probabilities(const Matrix& x) const {
    Matrix all(x.rows, ends.back());
    const Matrix first = log_softmax(linear(x, head));
    for (int64_t r = 0; r < x.rows; ++r) {
      for (int64_t w = 0; w < ends[0]; ++w) all(r, w) = first(r, w);
    }
    for (size_t b = 1; b < ends.size(); ++b) {
      const Matrix tail = log_softmax(linear(linear(x, in[b - 1]), out[b - 1]));
      for (int64_t r = 0; r < x.rows; ++r) {
        const double prior = first(r, ends[0] + static_cast<int64_t>(b) - 1);
        for (int64_t w = 0; w < tail.columns; ++w) all(r, ends[b - 1] + w) = prior + tail(r, w);
      }
    }
    return all;
  }

  // -Σ log p(target). The mask of a tail's inner columns is drawn from `mask` where the tail has
  // targets, and counts the rows that are its.
  double loss(const Matrix& x, std::span<const int32_t> targets,
              const std::function<kernels::Dropout()>& mask = nullptr) const {
    double sum = 0;
    std::vector<int32_t> classes(targets.begin(), targets.end());
    for (size_t b = 1; b < ends.size(); ++b) {
      std::vector<int32_t> rows, words;
      for (size_t i = 0; i < targets.size(); ++i) {
        if (targets[i] < ends[b - 1] || targets[i] >= ends[b]) continue;
        rows.push_back(static_cast<int32_t>(i));
        words.push_back(static_cast<int32_t>(targets[i] - ends[b - 1]));
        classes[i] = static_cast<int32_t>(ends[0] + static_cast<int64_t>(b) - 1);
      }
      if (rows.empty()) continue;
      Matrix inner = linear(select_rows(x, rows), in[b - 1]);
      if (mask) inner = dropout(mask(), std::move(inner));
      sum += cross_entropy(linear(inner, out[b - 1]), words, 0).plain;
    }
    return sum + cross_entropy(linear(x, head), classes, 0).plain;
  }
};

}  // namespace skein::plain
