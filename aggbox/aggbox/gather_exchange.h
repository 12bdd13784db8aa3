// All ranks' bytes to all ranks, by a sum: each writes its own place and zeros elsewhere.
#pragma once

#include <span>
#include <vector>

#include "aggbox/aggbox/integer_exchange.h"

namespace aggbox {

// own: as long on every rank. Cost: as a sum over size times as many bytes.
class GatherExchange : public IntegerExchange<std::uint64_t> {
 public:
  GatherExchange(std::uint32_t rank, std::uint32_t size, std::span<const std::uint8_t> own)
      : GatherExchange(std::make_unique<std::vector<std::uint64_t>>((own.size() * size + 7) / 8)) {
    bytes_each_ = own.size();
    std::copy(own.begin(), own.end(),
              reinterpret_cast<std::uint8_t*>(storage_->data()) + rank * bytes_each_);
  }

  // After the exchange.
  std::span<const std::uint8_t> of(std::uint32_t rank) const {
    return {reinterpret_cast<const std::uint8_t*>(storage_->data()) + rank * bytes_each_,
            bytes_each_};
  }

 private:
  explicit GatherExchange(std::unique_ptr<std::vector<std::uint64_t>> storage)
      : IntegerExchange(std::span<std::uint64_t>(*storage)), storage_(std::move(storage)) {}

  std::unique_ptr<std::vector<std::uint64_t>> storage_;
  std::size_t bytes_each_ = 0;
};

}  // namespace aggbox
