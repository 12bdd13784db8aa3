// Every kernel at the sizes of a training step: 4096 tokens of Multi30k lengths, transformer_small
// (256, 1024) and transformer_base (512, 2048), 10000 words. Rates are per processor time of the
// calling thread, so that they mean something on a machine that does other work, too; set the
// threads with OMP_NUM_THREADS. Compare with copy (bandwidth) and the square product (arithmetic).
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "skein/base/random.h"
#include "skein/kernels/attention.h"
#include "skein/kernels/cross_entropy.h"
#include "skein/kernels/embedding.h"
#include "skein/kernels/matmul.h"
#include "skein/kernels/norm.h"
#include "skein/kernels/packed_matrix.h"
#include "skein/kernels/update.h"

namespace skein::kernels {
namespace {

constexpr int64_t kTokens = 4096;
constexpr int64_t kWords = 10000;
constexpr DType kHalf = DType::kBF16;
constexpr DType kFull = DType::kF32;

Tensor normal(const Shape& shape, DType type) {
  static uint64_t seed = 0;
  Random random(++seed);
  Tensor tensor = Tensor::uninitialized(shape, DType::kF32);
  uint64_t word = random.next_u64();
  for (float& value : tensor.values<float>()) {
    word = word * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<float>(static_cast<int64_t>(word)) * 1e-19f;
  }
  return tensor.converted(type);
}

void count_bytes(benchmark::State& state, size_t bytes) {
  state.counters["GB/s"] = benchmark::Counter(
      static_cast<double>(bytes) * 1e-9 * static_cast<double>(state.iterations()),
      benchmark::Counter::kIsRate);
}
void count_operations(benchmark::State& state, int64_t operations) {
  state.counters["GFLOP/s"] = benchmark::Counter(
      static_cast<double>(operations) * 1e-9 * static_cast<double>(state.iterations()),
      benchmark::Counter::kIsRate);
}

void copy(benchmark::State& state) {
  const Tensor from = normal({kTokens, 2048}, kHalf);
  Tensor to = from.copy();
  for (auto _ : state) convert(from, to);
  count_bytes(state, 2 * from.bytes());
}
BENCHMARK(copy);

// m, n, k: x Wᵀ (a layer), dy W (its input's gradient), dyᵀ x (its weight's gradient).
void layer(benchmark::State& state) {
  const int64_t m = state.range(0), n = state.range(1), k = state.range(2);
  const Tensor x = normal({m, k}, kHalf), weight = normal({n, k}, kHalf);
  const Tensor bias = normal({n}, kFull);
  Tensor y = Tensor::zeros({m, n}, kHalf);
  for (auto _ : state) matmul(x, weight, y, {.transpose_b = true, .bias = &bias});
  count_operations(state, 2 * m * n * k);
}
void layer_input_gradient(benchmark::State& state) {
  const int64_t m = state.range(0), n = state.range(1), k = state.range(2);
  const Tensor dy = normal({m, n}, kHalf), weight = normal({n, k}, kHalf);
  Tensor dx = Tensor::zeros({m, k}, kHalf);
  for (auto _ : state) matmul(dy, weight, dx);
  count_operations(state, 2 * m * n * k);
}
void layer_weight_gradient(benchmark::State& state) {
  const int64_t m = state.range(0), n = state.range(1), k = state.range(2);
  const Tensor dy = normal({m, n}, kHalf), x = normal({m, k}, kHalf);
  Tensor dw = Tensor::zeros({n, k}, kFull);
  for (auto _ : state) matmul(dy, x, dw, {.transpose_a = true, .accumulate = true});
  count_operations(state, 2 * m * n * k);
}
void layers(benchmark::internal::Benchmark* benchmark) {
  benchmark->Args({512, 512, 512})->Args({4096, 512, 512})->Args({4011, 1536, 512});
  benchmark->Args({4011, 2048, 512})->Args({4011, 512, 2048})->Args({4011, 256, 256});
  benchmark->Args({4011, 1024, 256})->Args({4011, 256, 1024})->Args({512, kWords, 512});
}
BENCHMARK(layer)->Apply(layers);
BENCHMARK(layer_input_gradient)->Apply(layers);
BENCHMARK(layer_weight_gradient)->Apply(layers);

void packed_layer(benchmark::State& state) {
  const int64_t m = state.range(0), n = state.range(1), k = state.range(2);
  const Tensor x = normal({m, k}, kHalf);
  const PackedMatrix weight(normal({n, k}, kHalf), true);
  Tensor y = Tensor::zeros({m, n}, kHalf);
  for (auto _ : state) matmul(x, weight, y);
  count_operations(state, 2 * m * n * k);
}
BENCHMARK(packed_layer)->Args({1, 512, 512})->Args({32, 2048, 512})->Args({320, 512, 512});

// Sentences of Multi30k have 12 to 16 tokens.
std::vector<int32_t> offsets(int64_t length) {
  std::vector<int32_t> result = {0};
  for (int64_t i = 0; result.back() < kTokens; ++i) {
    const int64_t next = length + (length < 64 ? i % 7 - 3 : 0);
    result.push_back(static_cast<int32_t>(std::min(kTokens, result.back() + next)));
  }
  return result;
}

void attend(benchmark::State& state, bool gradient) {
  const int64_t width = state.range(1), heads = state.range(2);
  const std::vector<int32_t> sentences = offsets(state.range(0));
  const Tensor qkv = normal({kTokens, 3 * width}, kHalf), d_out = normal({kTokens, width}, kHalf);
  Tensor out = Tensor::zeros({kTokens, width}, kHalf), d_qkv = qkv.copy();
  Tensor log_sums = Tensor::zeros({kTokens, heads}, kFull);
  const AttentionShape shape = {.query_offsets = sentences,
                                .key_offsets = sentences,
                                .heads = heads,
                                .scale = 0.125f,
                                .dropout = {.probability = 0.1f, .seed = 1}};
  const auto part = [&](const Tensor& all, int64_t i) {
    return column_block(all, i * width, width);
  };
  attention(shape, part(qkv, 0), part(qkv, 1), part(qkv, 2), out, log_sums);
  for (auto _ : state) {
    if (gradient) {
      attention_gradient(shape, {.queries = part(qkv, 0),
                                 .keys = part(qkv, 1),
                                 .values = part(qkv, 2),
                                 .log_sums = log_sums,
                                 .d_out = d_out,
                                 .d_queries = part(d_qkv, 0),
                                 .d_keys = part(d_qkv, 1),
                                 .d_values = part(d_qkv, 2)});
    } else {
      attention(shape, part(qkv, 0), part(qkv, 1), part(qkv, 2), out, log_sums);
    }
  }
  int64_t pairs = 0;
  for (size_t s = 0; s + 1 < sentences.size(); ++s) {
    const int64_t length = sentences[s + 1] - sentences[s];
    pairs += length * length;
  }
  count_operations(state, (gradient ? 10 : 4) * pairs * width);
}
void attention_forward(benchmark::State& state) { attend(state, false); }
void attention_backward(benchmark::State& state) { attend(state, true); }
void attentions(benchmark::internal::Benchmark* benchmark) {
  benchmark->Args({14, 512, 8})->Args({14, 256, 4})->Args({128, 512, 8})->Args({512, 512, 8});
}
BENCHMARK(attention_forward)->Apply(attentions);
BENCHMARK(attention_backward)->Apply(attentions);

void norm_forward(benchmark::State& state) {
  const Shape shape = {kTokens, state.range(0)};
  const Tensor x = normal(shape, kHalf), residual = normal(shape, kHalf);
  const Tensor gain = normal({shape[1]}, kFull), bias = gain.copy();
  Tensor sum = x.copy(), y = x.copy();
  NormStatistics statistics;
  for (auto _ : state) {
    layer_norm({.x = x,
                .residual = residual,
                .gain = gain,
                .bias = bias,
                .dropout = {.probability = 0.1f, .seed = 1},
                .sum = sum,
                .y = y,
                .statistics = statistics});
  }
  count_bytes(state, 4 * x.bytes());
}
void norm_backward(benchmark::State& state) {
  const Shape shape = {kTokens, state.range(0)};
  const Tensor sum = normal(shape, kHalf), dy = normal(shape, kHalf);
  const Tensor gain = normal({shape[1]}, kFull), extra = dy.copy();
  const NormStatistics statistics = {normal({kTokens}, kFull), normal({kTokens}, kFull)};
  Tensor d_sum = sum.copy(), d_x = sum.copy(), d_gain = gain.copy(), d_bias = gain.copy();
  Tensor d_x_bias = gain.copy();
  for (auto _ : state) {
    layer_norm_gradient({.sum = sum,
                         .gain = gain,
                         .statistics = statistics,
                         .dy = dy,
                         .d_sum_extra = extra,
                         .dropout = {.probability = 0.1f, .seed = 1},
                         .d_sum = d_sum,
                         .d_x = d_x,
                         .d_gain = d_gain,
                         .d_bias = d_bias,
                         .d_x_bias = &d_x_bias});
  }
  count_bytes(state, 5 * sum.bytes());
}
BENCHMARK(norm_forward)->Arg(512)->Arg(256);
BENCHMARK(norm_backward)->Arg(512)->Arg(256);

void relu_gradient_with_bias(benchmark::State& state) {
  const Tensor y = normal({kTokens, 2048}, kHalf), dy = y.copy();
  Tensor dx = y.copy(), d_bias = Tensor::zeros({2048}, kFull);
  for (auto _ : state) activation_gradient(Activation::kRelu, y, dy, dx, d_bias, true);
  count_bytes(state, 3 * y.bytes());
}
BENCHMARK(relu_gradient_with_bias);

void gelu(benchmark::State& state) {
  const Tensor x = normal({kTokens, 2048}, kHalf);
  Tensor y = x.copy();
  for (auto _ : state) activation(Activation::kGelu, x, y);
  count_bytes(state, 2 * x.bytes());
}
BENCHMARK(gelu);

void bias_gradient(benchmark::State& state) {
  const Tensor dy = normal({kTokens, 1536}, kHalf);
  Tensor sums = Tensor::zeros({1536}, kFull);
  for (auto _ : state) column_sum(dy, sums, true);
  count_bytes(state, dy.bytes());
}
BENCHMARK(bias_gradient);

void dropped(benchmark::State& state) {
  const Tensor x = normal({kTokens, 512}, kHalf);
  Tensor y = x.copy();
  for (auto _ : state) dropout({.probability = 0.1f, .seed = 1}, x, y);
  count_bytes(state, 2 * x.bytes());
}
BENCHMARK(dropped);

void loss(benchmark::State& state) {
  const Tensor logits = normal({512, kWords}, kFull);
  Tensor d_logits = Tensor::zeros({512, kWords}, kHalf);
  const std::vector<int32_t> targets(512, 17);
  for (auto _ : state) {
    benchmark::DoNotOptimize(cross_entropy(logits, targets, 0.1f, d_logits));
  }
  count_bytes(state, logits.bytes() + d_logits.bytes());
}
BENCHMARK(loss);

void embedding(benchmark::State& state, bool gradient) {
  const Tensor table = normal({kWords, 512}, kHalf), positions = normal({64, 512}, kFull);
  std::vector<int32_t> ids, rows;
  for (int64_t i = 0; i < kTokens; ++i) {
    ids.push_back(static_cast<int32_t>(i * i % 7919));
    rows.push_back(static_cast<int32_t>(i % 14));
  }
  const Embedding arguments = {.ids = ids,
                               .position_rows = rows,
                               .table = table,
                               .positions = positions,
                               .scale = 20,
                               .dropout = {.probability = 0.1f, .seed = 1}};
  Tensor out = normal({kTokens, 512}, kHalf), d_table = Tensor::zeros({kWords, 512}, kFull), none;
  for (auto _ : state) {
    if (gradient) {
      embed_gradient(arguments, out, d_table, none);
    } else {
      embed(arguments, out);
    }
  }
  count_bytes(state, (gradient ? 5 : 2) * out.bytes());
}
void embedding_forward(benchmark::State& state) { embedding(state, false); }
void embedding_backward(benchmark::State& state) { embedding(state, true); }
BENCHMARK(embedding_forward);
BENCHMARK(embedding_backward);

void adam_update(benchmark::State& state) {
  const int64_t count = 10'000'000;
  Tensor gradient = normal({count}, kFull), values = gradient.copy(), mean = gradient.copy();
  Tensor variance = Tensor::zeros({count}, kFull), half = Tensor::zeros({count}, kHalf);
  for (auto _ : state) adam({.lr = 1e-4}, gradient, values, mean, variance, half);
  count_bytes(state, 7 * gradient.bytes() + half.bytes());
}
BENCHMARK(adam_update);

void norm_of_gradient(benchmark::State& state) {
  const Tensor gradient = normal({10'000'000}, kFull);
  for (auto _ : state) benchmark::DoNotOptimize(sum_of_squares(gradient));
  count_bytes(state, gradient.bytes());
}
BENCHMARK(norm_of_gradient);

}  // namespace
}  // namespace skein::kernels

BENCHMARK_MAIN();
