#include "skein/text/split_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "skein/text/utf8.h"

namespace skein {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

// A piece that ends at a position of the text.
struct Arc {
  size_t begin;
  int32_t id;
  double
      weight;  // log of the summed weight of all splits up to the position whose last piece is this
};

double log_add(double a, double b) {
  const double larger = std::max(a, b);
  if (larger == kImpossible) return kImpossible;
  return larger + std::log1p(std::exp(std::min(a, b) - larger));
}

const Arc& draw(const std::vector<Arc>& arcs, double log_total, Random& random) {
  double rest = random.uniform();
  for (const Arc& arc : arcs) {
    rest -= std::exp(arc.weight - log_total);
    if (rest < 0) return arc;
  }
  return arcs.back();
}

}  // namespace

SplitSampler::SplitSampler(const Vocabulary& vocabulary, std::vector<float> scores,
                           std::vector<bool> splittable)
    : vocabulary_(vocabulary), scores_(std::move(scores)), splittable_(std::move(splittable)) {
  for (size_t id = 0; id < splittable_.size(); ++id) {
    if (splittable_[id]) longest_ = std::max(longest_, vocabulary_.pieces()[id].size());
  }
}

int32_t SplitSampler::find(std::string_view piece) const {
  const int32_t id = vocabulary_.id(piece);
  return splittable(id) ? id : kUnkId;
}

void SplitSampler::sample_unigram(std::string_view text, double alpha, Random& random,
                                  std::vector<int32_t>& ids) const {
  std::vector<std::vector<Arc>> arcs(text.size() + 1);  // by the position where they end
  std::vector<double> total(text.size() + 1, kImpossible);
  total[0] = 0;
  for (size_t begin = 0; begin < text.size(); begin += utf8_length(text[begin])) {
    if (total[begin] == kImpossible) continue;
    const size_t last = std::min(text.size(), begin + longest_);
    for (size_t end = begin + utf8_length(text[begin]); end <= last;
         end += end < text.size() ? utf8_length(text[end]) : 1) {
      const int32_t id = find(text.substr(begin, end - begin));
      if (id == kUnkId) continue;
      const double weight = total[begin] + alpha * scores_[static_cast<size_t>(id)];
      arcs[end].push_back({begin, id, weight});
      total[end] = log_add(total[end], weight);
    }
  }
  const size_t first_new = ids.size();
  for (size_t end = text.size(); end > 0;) {
    const Arc& arc = draw(arcs[end], total[end], random);
    ids.push_back(arc.id);
    end = arc.begin;
  }
  std::reverse(ids.begin() + static_cast<std::ptrdiff_t>(first_new), ids.end());
}

void SplitSampler::sample_bpe(std::string_view text, double dropout, Random& random,
                              std::vector<int32_t>& ids) const {
  std::vector<std::string_view> symbols;
  for (const std::string_view character : Characters(text)) symbols.push_back(character);
  while (true) {
    size_t best = symbols.size();
    float best_score = -std::numeric_limits<float>::infinity();
    for (size_t i = 0; i + 1 < symbols.size(); ++i) {
      const std::string_view merged(symbols[i].data(), symbols[i].size() + symbols[i + 1].size());
      const int32_t id = find(merged);
      if (id == kUnkId || scores_[static_cast<size_t>(id)] <= best_score) continue;
      if (dropout > 0 && random.uniform() < dropout) continue;
      best = i;
      best_score = scores_[static_cast<size_t>(id)];
    }
    if (best == symbols.size()) break;
    symbols[best] = {symbols[best].data(), symbols[best].size() + symbols[best + 1].size()};
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
  for (const std::string_view symbol : symbols) ids.push_back(vocabulary_.id(symbol));
}

}  // namespace skein
