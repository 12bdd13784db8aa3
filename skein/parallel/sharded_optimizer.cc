#include "skein/parallel/sharded_optimizer.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "skein/base/packed_bytes.h"
#include "skein/kernels/elementwise.h"

namespace skein {
namespace {

std::string packed(const std::vector<NamedTensor>& tensors) {
  PackedBytes bytes;
  for (const NamedTensor& each : tensors) {
    const Tensor& values = each.values;
    bytes.add_text(each.name);
    bytes.add_number(static_cast<int32_t>(values.type()));
    bytes.add_number(static_cast<int32_t>(values.shape().rank()));
    for (int i = 0; i < values.shape().rank(); ++i) bytes.add_number(values.shape()[i]);
    bytes.add_text({reinterpret_cast<const char*>(values.raw()), values.bytes()});
  }
  return bytes.take();
}

NamedTensor unpacked(PackedBytesReader& reader) {
  NamedTensor tensor;
  tensor.name = reader.text();
  const auto type = static_cast<DType>(reader.number<int32_t>());
  std::vector<int64_t> extents(static_cast<size_t>(reader.number<int32_t>()));
  for (int64_t& extent : extents) extent = reader.number<int64_t>();
  tensor.values = Tensor::uninitialized(Shape(extents), type);
  const std::string_view bytes = reader.text();
  std::memcpy(tensor.values.raw(), bytes.data(), bytes.size());
  return tensor;
}

std::span<std::byte> bytes_of(Tensor tensor) { return {tensor.raw(), tensor.bytes()}; }

}  // namespace

std::vector<size_t> shards_of(const FlatParameters& parameters, int ranks) {
  int64_t all = 0;
  for (const auto& part : parameters.parts) all += part.shape.elements();
  std::vector<size_t> begins = {0};
  int64_t before = 0;
  for (size_t i = 0; i < parameters.parts.size(); ++i) {
    // A parameter belongs to the shard in whose part of all elements its middle lies.
    const int64_t middle = 2 * before + parameters.parts[i].shape.elements();
    while (middle * ranks > 2 * all * std::ssize(begins)) begins.push_back(i);
    before += parameters.parts[i].shape.elements();
  }
  begins.resize(static_cast<size_t>(ranks) + 1, parameters.parts.size());
  return begins;
}

ShardedOptimizer::ShardedOptimizer(Communicator& communicator, Make make,
                                   const FlatParameters& parameters)
    : communicator_(communicator),
      make_(std::move(make)),
      parameters_(parameters),
      begins_(shards_of(parameters, communicator.size())),
      own_(make_(shard(communicator.rank()))) {}

FlatParameters ShardedOptimizer::shard(int rank) const {
  const auto offset_of = [this](size_t part) {
    return part < parameters_.parts.size() ? parameters_.parts[part].offset
                                           : parameters_.values.elements();
  };
  const size_t first = begins_[static_cast<size_t>(rank)];
  const size_t last = begins_[static_cast<size_t>(rank) + 1];
  const int64_t begin = offset_of(first);
  const Shape shape = {offset_of(last) - begin};
  FlatParameters shard{.values = parameters_.values.view(begin, shape),
                       .gradients = parameters_.gradients.view(begin, shape)};
  if (parameters_.half.defined()) shard.half = parameters_.half.view(begin, shape);
  for (size_t i = first; i < last; ++i) {
    FlatParameters::Part part = parameters_.parts[i];
    part.offset -= begin;
    shard.parts.push_back(std::move(part));
  }
  return shard;
}

void ShardedOptimizer::step(const UpdateStep& step) {
  own_->step(step);
  std::vector<std::future<void>> arrivals;
  arrivals.reserve(static_cast<size_t>(communicator_.size()));
  for (int rank = 0; rank < communicator_.size(); ++rank) {
    arrivals.push_back(
        communicator_.start_broadcast(bytes_of(shard(rank).values), rank, Patience::kPrompt));
  }
  for (int rank = 0; rank < communicator_.size(); ++rank) {
    arrivals[static_cast<size_t>(rank)].get();
    FlatParameters arrived = shard(rank);
    if (rank != communicator_.rank() && arrived.half.defined()) {
      kernels::convert(arrived.values, arrived.half);
    }
  }
}

std::vector<NamedTensor> ShardedOptimizer::state_tensors() const {
  return whole_ ? whole_->state_tensors() : own_->state_tensors();
}

std::vector<NamedTensor> ShardedOptimizer::gather_state() const {
  const Gathered shards =
      communicator_.gather(packed(own_->state_tensors()), 0, Patience::kWhileAlive);
  std::vector<NamedTensor> all;
  for (const std::string& each : shards) {
    for (PackedBytesReader reader(each); !reader.empty();) all.push_back(unpacked(reader));
  }
  return all;
}

void ShardedOptimizer::hold_whole_state() { whole_ = make_(parameters_); }

void ShardedOptimizer::scatter_state() {
  // As long as nothing has been read, there is nothing to give.
  std::string state;
  if (whole_) state = packed(whole_->state_tensors());
  whole_.reset();
  auto bytes = static_cast<int64_t>(state.size());
  communicator_.broadcast(std::as_writable_bytes(std::span(&bytes, 1)), 0, Patience::kWhileAlive);
  state.resize(static_cast<size_t>(bytes));
  communicator_.broadcast(std::as_writable_bytes(std::span(state)), 0, Patience::kWhileAlive);
  std::map<std::string, Tensor> own;
  for (const NamedTensor& each : own_->state_tensors()) own[each.name] = each.values;
  for (PackedBytesReader reader(state); !reader.empty();) {
    const NamedTensor whole = unpacked(reader);
    const auto found = own.find(whole.name);
    if (found == own.end()) continue;
    std::memcpy(found->second.raw(), whole.values.raw(), whole.values.bytes());
  }
}

}  // namespace skein
