// Gradients of one update, summed over all ranks while the backward pass still computes others.
//
// The flat buffer of gradients is cut into buckets, from its end, where the layers stand that a
// backward pass reaches first. A bucket leaves when nothing can change it any more and those before
// it have left: so all ranks send the same buckets in the same order, whatever their batches are.
#pragma once

#include <array>
#include <cstdint>
#include <future>
#include <span>
#include <vector>

#include "skein/autograd/loss.h"
#include "skein/comm/communicator.h"
#include "skein/nn/parameter_store.h"

namespace skein {

class GradientExchange {
 public:
  // Large enough that the time of its messages is that of its bytes, small enough that the first
  // leaves early and that not much is left to send when the backward pass ends.
  static constexpr int64_t kBucketBytes = 4 << 20;

  // `parameters` have memory for gradients; both outlive this object. A bucket is at least so many
  // bytes, and whole parameters.
  GradientExchange(Communicator& communicator, ParameterStore& parameters,
                   int64_t bucket_bytes = kBucketBytes);

  int rank() const { return communicator_.rank(); }
  size_t buckets() const { return buckets_.size(); }
  size_t sent() const { return sums_.size(); }  // of them, in this update

  // An update, on every rank: begin(), then the forward pass of this rank's last batch, if it has
  // one; start_loss(); then the backward pass, with advance() after every operation; finish().
  void begin();
  // `mine`: of all batches of this rank.
  void start_loss(const LossSums& mine);
  // Sends the buckets that are final.
  void advance();
  // Sends the rest, and waits for all: gradients are then those of all ranks together, zero where
  // no rank has any. Returns the sums of the losses. Throws CommunicationError.
  LossSums finish();

  // Buckets of the last update that had left before finish().
  size_t early() const { return early_; }

 private:
  struct Bucket {
    std::span<const Parameter> parameters;
    std::span<float> gradients;
  };

  bool final(const Bucket& bucket) const;
  void send(Bucket& bucket);

  Communicator& communicator_;
  ParameterStore& parameters_;
  std::vector<Bucket> buckets_;  // in the order in which they leave
  std::vector<long> holders_;    // of every parameter, at begin()
  std::array<double, 3> loss_{};
  std::future<void> loss_sum_;
  std::vector<std::future<void>> sums_;  // of the buckets that have left
  size_t early_ = 0;
};

}  // namespace skein
