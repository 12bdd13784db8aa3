#include "skein/train/benchmark.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "skein/base/files.h"
#include "skein/base/random.h"
#include "skein/kernels/matmul.h"
#include "skein/tensor/arena.h"
#include "skein/text/vocabulary.h"
#include "skein/train/update.h"

namespace skein {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::vector<int32_t> random_sentence(int64_t length, int64_t vocabulary, Random& random) {
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < length; ++i) {
    const auto word = random.below(static_cast<uint64_t>(vocabulary - kSpecialTokens));
    ids.push_back(static_cast<int32_t>(word) + kSpecialTokens);
  }
  return ids;
}

void append_sample(const std::vector<int32_t>& source, const std::vector<int32_t>& target,
                   Batch& batch) {
  std::vector<int32_t> ids = source;
  ids.push_back(kEosId);
  batch.source.append(ids);
  ids = target;
  ids.push_back(kEosId);
  batch.target.append(ids);
  ids = target;
  ids.insert(ids.begin(), kEosId);
  batch.target_input.append(ids);
  batch.sample_ids.push_back(static_cast<int64_t>(batch.sample_ids.size()));
}

// Of this many batches that are cut from the sorted sentences, one is used.
constexpr int64_t kPoolFactor = 8;

struct Lengths {
  int64_t source = 0;  // without the end symbol
  int64_t target = 0;
};

Lengths random_lengths(Random& random) {
  constexpr double kCorrelation = 0.856;
  const double common = random.normal();
  const double own = random.normal();
  const double target = kCorrelation * common + std::sqrt(1 - kCorrelation * kCorrelation) * own;
  return {.source = std::max<int64_t>(1, std::lround(std::exp(2.589 + 0.313 * common))),
          .target = std::max<int64_t>(1, std::lround(std::exp(2.603 + 0.348 * target)))};
}

// The rates of oneDNN's products at the shapes of training, taken between the updates: the speed of
// a shared machine changes from second to second (by a factor of two where the matrix unit has
// another user), so that only totals over the same time compare.
class ProductRates {
 public:
  explicit ProductRates(DType type) {
    Random random(1);
    const auto values = [&](int64_t rows, int64_t columns) {
      Tensor tensor = Tensor::uninitialized({rows, columns}, DType::kF32);
      for (float& value : tensor.values<float>())
        value = static_cast<float>(random.uniform()) - 0.5f;
      return tensor.converted(type);
    };
    for (const auto& [rows, inner, columns] :
         {std::array<int64_t, 3>{4096, 512, 512}, std::array<int64_t, 3>{4096, 512, 2048},
          std::array<int64_t, 3>{4096, 2048, 512}, std::array<int64_t, 3>{2048, 2048, 2048}}) {
      products_.push_back({.a = values(rows, inner),
                           .b = values(columns, inner),
                           .out = Tensor::zeros({rows, columns}, type),
                           .flops = 2.0 * static_cast<double>(rows * inner * columns)});
    }
  }

  // Generates the code.
  void prepare() {
    for (Product& product : products_) product.run();
  }

  // Runs every product kRuns times.
  void measure() {
    constexpr int kRuns = 3;
    for (Product& product : products_) {
      const double begin = seconds_now();
      for (int run = 0; run < kRuns; ++run) product.run();
      product.seconds += (seconds_now() - begin) / kRuns;
    }
    ++measured_;
  }

  // FLOP/s over all measure() of the best shape.
  double best() const {
    double best = 0;
    for (const Product& product : products_) {
      best = std::max(best, static_cast<double>(measured_) * product.flops / product.seconds);
    }
    return best;
  }

 private:
  struct Product {
    Tensor a, b, out;
    double flops = 0;
    double seconds = 0;

    void run() { kernels::matmul(a, b, out, {.transpose_b = true}); }
  };
  int64_t measured_ = 0;
  std::vector<Product> products_;
};

}  // namespace

std::vector<Batch> random_batches(const BenchmarkOptions& options, int64_t max_tokens,
                                  uint64_t seed) {
  Random random(seed);
  std::vector<Lengths> pool;
  for (int64_t tokens = 0; tokens < kPoolFactor * options.batches * max_tokens;) {
    pool.push_back(random_lengths(random));
    tokens += pool.back().source + 1;
  }
  std::sort(pool.begin(), pool.end(), [](const Lengths& a, const Lengths& b) {
    return std::pair(a.source, a.target) < std::pair(b.source, b.target);
  });
  std::vector<Batch> batches;
  int64_t cut = 0;
  Batch batch;
  for (const Lengths& lengths : pool) {
    const auto source = static_cast<int64_t>(batch.source.tokens.size()) + lengths.source + 1;
    const auto target = static_cast<int64_t>(batch.target.tokens.size()) + lengths.target + 1;
    if (std::max(source, target) > max_tokens) {
      if (cut++ % kPoolFactor == kPoolFactor / 2) batches.push_back(std::move(batch));
      batch = Batch();
    }
    append_sample(random_sentence(lengths.source, options.vocabulary, random),
                  random_sentence(lengths.target, options.vocabulary, random), batch);
  }
  return batches;
}

void write_batches(const std::vector<Batch>& batches, const std::filesystem::path& path) {
  std::string text;
  for (const Batch& batch : batches) {
    nlohmann::json row{{"source", nlohmann::json::array()}, {"target", nlohmann::json::array()}};
    for (size_t s = 0; s < batch.target.sentences(); ++s) {
      const auto source = batch.source.sentence(s);
      const auto target = batch.target.sentence(s);
      row["source"].push_back(std::vector<int32_t>(source.begin(), source.end() - 1));
      row["target"].push_back(std::vector<int32_t>(target.begin(), target.end() - 1));
    }
    text += row.dump() + "\n";
  }
  write_file(path, text);
}

TrainingSpeed measure_training(TrainOptions& options, const BenchmarkOptions& benchmark,
                               const std::vector<Batch>& batches) {
  const DType type = activation_type(options.loop.precision);
  const auto model = options.model->build(
      {.source = benchmark.vocabulary, .target = benchmark.vocabulary, .shared = true});
  model->parameters().allocate({.half = type == DType::kBF16, .gradients = true});
  model->parameters().initialize(static_cast<uint64_t>(options.loop.seed));
  const auto criterion = make_criterion(options.criterion);
  const auto optimizer = make_optimizer(options.optimizer, flat_parameters(model->parameters()));
  Updater updater(*model, *criterion, *optimizer,
                  {.activations = type, .clip_norm = options.loop.clip_norm, .seed = 1});
  TrainingSpeed speed;
  ProductRates products(type);
  std::vector<double> seconds;
  std::vector<double> source_rates;
  std::vector<double> target_rates;
  double flops = 0;
  for (int64_t update = 1; update <= benchmark.warmup + benchmark.updates; ++update) {
    const Batch& batch = batches[static_cast<size_t>(update) % batches.size()];
    const double begin = seconds_now();
    updater.run(std::span(&batch, 1), update, 1e-4);
    const double taken = seconds_now() - begin;
    if (update <= benchmark.warmup) {
      if (update == benchmark.warmup) products.prepare();
      continue;
    }
    products.measure();
    seconds.push_back(taken);
    source_rates.push_back(static_cast<double>(batch.source.tokens.size()) / taken);
    target_rates.push_back(static_cast<double>(batch.target.tokens.size()) / taken);
    flops += model->training_flops(batch);
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  speed.seconds_per_update = median(seconds);
  speed.source_tokens_per_second = median(source_rates);
  speed.target_tokens_per_second = median(target_rates);
  speed.flops_per_second = flops / std::accumulate(seconds.begin(), seconds.end(), 0.0);
  speed.peak_tensor_bytes = static_cast<int64_t>(arena_statistics().peak);
  speed.peak_resident_bytes = int64_t{usage.ru_maxrss} * 1024;
  speed.product_flops_per_second = products.best();
  return speed;
}

}  // namespace skein
