// Metrics by name, for commands and settings.
#pragma once

#include <memory>
#include <string_view>

#include "skein/text/bleu.h"
#include "skein/text/metric.h"
#include "skein/text/ter_tokenizer.h"

namespace skein {

struct MetricOptions {
  BleuOptions bleu;               // its lower_case holds for chrF too
  bool chrf_white_space = false;  // n-grams of characters span words
  TerTokenizerOptions ter;
};

// "bleu", "chrf", "chrf++" or "ter". Throws UsageError for another name, with the nearest of these.
std::unique_ptr<Metric> make_metric(std::string_view name, const MetricOptions& options = {});

}  // namespace skein
