#include "skein/parallel/gradient_exchange.h"

#include <algorithm>

namespace skein {

GradientExchange::GradientExchange(Communicator& communicator, ParameterStore& parameters,
                                   int64_t bucket_bytes)
    : communicator_(communicator), parameters_(parameters) {
  const std::span<const Parameter> all = parameters.parameters();
  const std::span<float> gradients = parameters.gradients().values<float>();
  size_t end = all.size();
  auto end_element = static_cast<int64_t>(gradients.size());
  for (size_t begin = all.size(); begin-- > 0;) {
    const int64_t elements = end_element - all[begin].offset;
    if (begin > 0 && elements * static_cast<int64_t>(sizeof(float)) < bucket_bytes) continue;
    buckets_.push_back({.parameters = all.subspan(begin, end - begin),
                        .gradients = gradients.subspan(static_cast<size_t>(all[begin].offset),
                                                       static_cast<size_t>(elements))});
    end = begin;
    end_element = all[begin].offset;
  }
}

void GradientExchange::begin() {
  sums_.clear();
  holders_.clear();
  for (const Parameter& each : parameters_.parameters()) {
    holders_.push_back(each.variable.holders());
  }
}

void GradientExchange::start_loss(const LossSums& mine) {
  // Whole numbers up to 2^53 stay what they are.
  loss_ = {mine.smoothed, mine.plain, static_cast<double>(mine.tokens)};
  loss_sum_ = communicator_.start_all_reduce(std::span<double>(loss_), Reduction::kSum);
}

void GradientExchange::advance() {
  while (sums_.size() < buckets_.size() && final(buckets_[sums_.size()])) {
    send(buckets_[sums_.size()]);
  }
}

LossSums GradientExchange::finish() {
  early_ = sums_.size();
  while (sums_.size() < buckets_.size()) send(buckets_[sums_.size()]);
  loss_sum_.get();
  for (std::future<void>& sum : sums_) sum.get();
  return {.smoothed = loss_[0], .plain = loss_[1], .tokens = static_cast<int64_t>(loss_[2])};
}

// Only operations on the tape add to the gradients, and those hold what they add to.
bool GradientExchange::final(const Bucket& bucket) const {
  const Parameter* first = parameters_.parameters().data();
  return std::all_of(
      bucket.parameters.begin(), bucket.parameters.end(), [&](const Parameter& each) {
        return each.variable.holders() <= holders_[static_cast<size_t>(&each - first)];
      });
}

void GradientExchange::send(Bucket& bucket) {
  for (const Parameter& each : bucket.parameters) {
    const std::shared_ptr<Gradient>& gradient = each.variable.gradient();
    if (gradient->empty()) gradient->target(each.shape, DType::kF32).buffer.fill_zero();
    gradient->seal();
  }
  sums_.push_back(communicator_.start_all_reduce(bucket.gradients, Reduction::kSum));
}

}  // namespace skein
