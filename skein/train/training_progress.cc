#include "skein/train/training_progress.h"

#include <fmt/format.h>

#include <cmath>

#include "skein/base/progress.h"

namespace skein {

std::string progress_text(const TrainingFigures& figures) {
  std::string text = fmt::format("epoch {}  {}", figures.epoch, figures.step);
  if (figures.last_step > 0) text += fmt::format("/{}", figures.last_step);
  text += fmt::format("  loss {:.3f}  ppl {:.3g}  {} tokens/s", figures.loss, std::exp(figures.nll),
                      count_text(figures.tokens_per_second));
  if (figures.seconds_left >= 0) text += "  " + duration_text(figures.seconds_left) + " left";
  return text;
}

}  // namespace skein
