// Sees a training diverge whose numbers stay finite: its loss climbs far above the least it had and
// stays there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace skein {

class LossWatch {
 public:
  // `nll`: nats a token, the mean over the updates since the last call; `update`: the last of them.
  // Returns a sentence for the user when kRows means in a row lie more than kRise above the least
  // before them; then not again before the loss has come back.
  std::optional<std::string> see(double nll, int64_t update);

 private:
  static constexpr double kRise = 1.5;  // 4.5 times the perplexity
  static constexpr int kRows = 3;

  struct Least {
    double nll = 0;
    int64_t update = 0;
  };
  std::optional<Least> least_;
  int rows_above_ = 0;
};

}  // namespace skein
