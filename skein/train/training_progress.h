// The line that a person sees while training runs.
#pragma once

#include <cstdint>
#include <string>

namespace skein {

struct TrainingFigures {
  int64_t epoch = 0;
  int64_t step = 0;
  int64_t last_step = 0;  // 0: not known
  double loss = 0;        // nats a token, as trained
  double nll = 0;         // nats a token, without smoothing
  double tokens_per_second = 0;
  double seconds_left = -1;  // negative: not known
};

// "epoch 2  1200/5000  loss 4.123  ppl 17.4  12.3k tokens/s  5 min 20 s left"
std::string progress_text(const TrainingFigures& figures);

}  // namespace skein
