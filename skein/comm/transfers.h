// At most one message a rank, on its way.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "skein/comm/transport.h"

namespace skein {

class Transfers {
 public:
  explicit Transfers(int ranks) : transfers_(static_cast<size_t>(ranks)) {}

  void add(int rank, std::unique_ptr<Transfer> transfer) {
    transfers_[static_cast<size_t>(rank)] = std::move(transfer);
  }

  // Whether that rank's is done, or never was.
  bool done(int rank) {
    std::unique_ptr<Transfer>& transfer = transfers_[static_cast<size_t>(rank)];
    if (transfer && transfer->done()) transfer.reset();
    return !transfer;
  }

  bool all_done() {
    bool all = true;
    for (int rank = 0; rank < static_cast<int>(transfers_.size()); ++rank) {
      all = done(rank) && all;
    }
    return all;
  }

  // As the last look at it found.
  std::vector<int> missing() const {
    std::vector<int> ranks;
    for (size_t rank = 0; rank < transfers_.size(); ++rank) {
      if (transfers_[rank]) ranks.push_back(static_cast<int>(rank));
    }
    return ranks;
  }

 private:
  std::vector<std::unique_ptr<Transfer>> transfers_;  // by rank
};

}  // namespace skein
