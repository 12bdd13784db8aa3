#include "skein/decode/beam_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/decode/sentence_search.h"

namespace skein {
namespace {

// Below this many logits a thread costs more than it saves.
constexpr int64_t kLogitsPerThread = 16384;

// The sentences that are not done, and their rows: those of the first, of the second and so on.
class SearchBatch {
 public:
  SearchBatch(std::vector<SentenceSearch>& searches) {
    for (SentenceSearch& search : searches) active_.push_back(&search);
  }

  bool empty() const { return active_.empty(); }

  std::vector<int32_t> previous() const {
    std::vector<int32_t> tokens;
    for (const SentenceSearch* search : active_) {
      tokens.insert(tokens.end(), search->previous().begin(), search->previous().end());
    }
    return tokens;
  }

  // Before the first step: the tokens that all sentences have to read, [sentences, count]; they
  // count as read.
  std::vector<int32_t> read_common(int64_t& count) {
    count = std::numeric_limits<int64_t>::max();
    for (const SentenceSearch* search : active_) {
      count = std::min(count, std::ssize(search->unread()));
    }
    std::vector<int32_t> tokens;
    for (SentenceSearch* search : active_) {
      const auto some = search->unread().first(static_cast<size_t>(count));
      tokens.insert(tokens.end(), some.begin(), some.end());
      search->read(count);
    }
    return tokens;
  }

  // logits: [rows, vocabulary]; overwritten.
  void score(Tensor& logits) {
    struct Place {
      SentenceSearch* search;
      int64_t row;
    };
    std::vector<Place> places;
    for (SentenceSearch* search : active_) {
      for (int64_t row = 0; row < search->rows(); ++row) places.push_back({search, row});
    }
    const int64_t columns = logits.columns();
    float* values = logits.data<float>();
    const int64_t grain = std::max<int64_t>(1, kLogitsPerThread / std::max<int64_t>(1, columns));
    parallel_for(static_cast<int64_t>(places.size()), grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Place& place = places[static_cast<size_t>(i)];
        place.search->score_row(place.row, {values + i * columns, static_cast<size_t>(columns)});
      }
    });
  }

  // Returns for every row that goes on the row that it continues.
  std::vector<int32_t> advance() {
    std::vector<int32_t> rows;
    int32_t first = 0;
    for (SentenceSearch* search : active_) {
      const auto count = static_cast<int32_t>(search->rows());
      search->advance();
      for (const int32_t parent : search->parents()) rows.push_back(first + parent);
      first += count;
    }
    std::erase_if(active_, [](const SentenceSearch* search) { return search->done(); });
    return rows;
  }

 private:
  std::vector<SentenceSearch*> active_;
};

void require_logits(const Tensor& logits, size_t rows, int64_t vocabulary) {
  const Shape expected{static_cast<int64_t>(rows), vocabulary};
  if (logits.shape() == expected) return;
  throw ShapeError(fmt::format("the scorer gave logits of shape {}; expected {}",
                               logits.shape().to_string(), expected.to_string()));
}

bool same_rows(std::span<const int32_t> rows, size_t before) {
  if (rows.size() != before) return false;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] != static_cast<int32_t>(i)) return false;
  }
  return true;
}

void run(StepScorer& scorer, const PackedSequences& source, SearchBatch& batch) {
  scorer.start(source);
  int64_t count = 0;
  const std::vector<int32_t> prompts = batch.read_common(count);
  if (count > 0) scorer.read(prompts, count);
  while (!batch.empty()) {
    const std::vector<int32_t> previous = batch.previous();
    Tensor logits = scorer.step(previous);
    require_logits(logits, previous.size(), scorer.vocabulary());
    batch.score(logits);
    const std::vector<int32_t> rows = batch.advance();
    if (!rows.empty() && !same_rows(rows, previous.size())) scorer.select(rows);
  }
}

}  // namespace

std::vector<std::vector<Hypothesis>> beam_search(StepScorer& scorer, const PackedSequences& source,
                                                 std::span<const SearchOptions> options) {
  if (options.size() != source.sentences()) {
    throw UsageError(fmt::format("{} search options for {} sentences; expected one for each",
                                 options.size(), source.sentences()));
  }
  std::vector<SentenceSearch> searches;
  for (size_t i = 0; i < options.size(); ++i) {
    require_valid(options[i], scorer.vocabulary());
    searches.emplace_back(options[i], static_cast<int64_t>(source.sentence(i).size()),
                          scorer.max_target_length(), scorer.kind());
  }
  if (!searches.empty()) {
    SearchBatch batch(searches);
    run(scorer, source, batch);
  }
  std::vector<std::vector<Hypothesis>> results;
  results.reserve(searches.size());
  for (SentenceSearch& search : searches) results.push_back(std::move(search).results());
  return results;
}

std::vector<std::vector<Hypothesis>> beam_search(StepScorer& scorer, const PackedSequences& source,
                                                 const SearchOptions& options) {
  const std::vector<SearchOptions> each(source.sentences(), options);
  return beam_search(scorer, source, each);
}

}  // namespace skein
