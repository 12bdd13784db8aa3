// The command line of a training that takes milliseconds an update.
#pragma once

#include <fmt/format.h>

#include <string>

namespace skein {

inline std::string small_training(const std::string& output, int updates, int max_tokens,
                                  const std::string& settings) {
  return fmt::format(
      "skein train --threads 1 --data data --model transformer_tiny --output {} "
      "--train.max_updates {} --model.width 16 --model.ffn 16 --model.heads 2 --model.dropout 0 "
      "--model.encoder_layers 1 --model.decoder_layers 1 --data.max_tokens {} "
      "--train.precision f32 --schedule.warmup_updates 2 --optimizer.lr 0.01 --train.log_every 1 "
      "{}",
      output, updates, max_tokens, settings);
}

}  // namespace skein
