// The optimiser's state split over the ranks (ZeRO, stage 1: Rajbhandari et al. 2020). Every rank
// updates its own shard of the parameters and gives it to the others; the parameters are then those
// of an optimiser that has them all, to the bit.
//
// A shard is a run of whole parameters, so that every optimiser can be split whose update of a
// parameter looks at that parameter alone, as all built-in ones do. With B bytes of state a rank
// holds about B / N: less than B / N plus that of the largest parameter.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <vector>

#include "skein/comm/communicator.h"
#include "skein/optim/optimizer.h"

namespace skein {

// Parts [begins[r], begins[r + 1]) are rank r's: runs of about the same number of elements, some of
// them empty where there are more ranks than parameters.
std::vector<size_t> shards_of(const FlatParameters& parameters, int ranks);

class ShardedOptimizer final : public Optimizer {
 public:
  using Make = std::function<std::unique_ptr<Optimizer>(const FlatParameters&)>;

  // `make` makes the optimiser of a shard. The communicator outlives this object.
  ShardedOptimizer(Communicator& communicator, Make make, const FlatParameters& parameters);

  // With all ranks, which have the same gradients.
  void step(const UpdateStep& step) override;

  // Of this rank's shard; after hold_whole_state() of all parameters.
  std::vector<NamedTensor> state_tensors() const override;
  NamedNumbers state_numbers() const override { return own_->state_numbers(); }
  void restore_numbers(const NamedNumbers& numbers) override { own_->restore_numbers(numbers); }

  // The state of all parameters on rank 0, where it is a copy; nothing on the others. With all
  // ranks.
  std::vector<NamedTensor> gather_state() const;
  // On rank 0, before it reads the state of all parameters...
  void hold_whole_state();
  // ... which then goes to the ranks whose it is. With all ranks.
  void scatter_state();

 private:
  FlatParameters shard(int rank) const;

  Communicator& communicator_;
  Make make_;
  FlatParameters parameters_;
  std::vector<size_t> begins_;  // [ranks + 1]
  std::unique_ptr<Optimizer> own_;
  std::unique_ptr<Optimizer> whole_;  // from hold_whole_state() to scatter_state()
};

}  // namespace skein
