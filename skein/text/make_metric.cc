#include "skein/text/make_metric.h"

#include <array>

#include "skein/base/nearest.h"
#include "skein/text/chrf.h"
#include "skein/text/ter.h"

namespace skein {

std::unique_ptr<Metric> make_metric(std::string_view name, const MetricOptions& options) {
  constexpr std::array<std::string_view, 4> kNames = {"bleu", "chrf", "chrf++", "ter"};
  require_name("metric", name, kNames);
  if (name == "bleu") return std::make_unique<Bleu>(options.bleu);
  if (name == "ter") return std::make_unique<Ter>(options.ter);
  return std::make_unique<Chrf>(ChrfOptions{.word_order = name == "chrf++" ? 2 : 0,
                                            .lower_case = options.bleu.lower_case,
                                            .white_space = options.chrf_white_space});
}

}  // namespace skein
