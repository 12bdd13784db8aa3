#include "skein/decode/score_stream.h"

#include <fmt/format.h>

#include <cmath>
#include <exception>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "skein/base/error.h"
#include "skein/decode/batched_scores.h"

namespace skein {
namespace {

using Json = nlohmann::ordered_json;

struct ScoredPair {
  int64_t line = 0;
  std::string source;
  std::string target;
  std::vector<int32_t> source_tokens;
  std::vector<int32_t> target_tokens;
  SentenceScore score;
  std::string error;
};

std::vector<int32_t> encode(const std::string& text, const Tokenizer& tokenizer,
                            int64_t max_length) {
  std::vector<int32_t> tokens;
  tokenizer.encode(text, tokens);
  tokens.push_back(kEosId);
  if (static_cast<int64_t>(tokens.size()) <= max_length) return tokens;
  throw FormatError(fmt::format("the line has {} tokens and the model has positions for {}",
                                tokens.size() - 1, max_length - 1));
}

double shortened(float value) { return std::round(double{value} * 1e6) / 1e6; }

Json json_of(const ScoredPair& pair, const Vocabulary& vocabulary) {
  Json json = {{"line", pair.line}, {"source", pair.source}, {"target", pair.target}};
  if (!pair.error.empty()) {
    json["error"] = pair.error;
    return json;
  }
  json["log_probability"] = pair.score.log_probability;
  json["tokens"] = Json::array();
  json["token_scores"] = Json::array();
  for (const int32_t token : pair.target_tokens) json["tokens"].push_back(vocabulary.piece(token));
  for (const float score : pair.score.token_scores) {
    json["token_scores"].push_back(shortened(score));
  }
  return json;
}

class Stream {
 public:
  Stream(LineReader& source, LineReader& target, const ScoringModel& model,
         const ScoreOptions& options)
      : source_(source), target_(target), model_(model), options_(options) {}

  // False at the end. An error ends the stream behind the pairs before it.
  bool read() {
    pairs_.clear();
    try {
      while (static_cast<int64_t>(pairs_.size()) < options_.window && next()) {
      }
    } catch (const Error&) {
      failure_ = std::current_exception();
    }
    return !pairs_.empty() || failure_;
  }

  std::string score() {
    score_good_pairs();
    std::string out;
    for (const ScoredPair& pair : pairs_) {
      count(pair);
      append(pair, out);
    }
    return out;
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }
  const ScoreCounts& counts() const { return counts_; }

 private:
  bool next() {
    ScoredPair pair;
    const bool has_source = source_.next(pair.source);
    const bool has_target = target_.next(pair.target);
    if (has_source != has_target) throw_counts();
    if (!has_source) return false;
    pair.line = source_.line_number();
    encode_side(pair, pair.source, source_, model_.source, model_.model.max_source_length(),
                pair.source_tokens);
    encode_side(pair, pair.target, target_, model_.target, model_.model.max_target_length(),
                pair.target_tokens);
    pairs_.push_back(std::move(pair));
    return true;
  }

  void encode_side(ScoredPair& pair, const std::string& text, const LineReader& reader,
                   const Tokenizer& tokenizer, int64_t max_length,
                   std::vector<int32_t>& tokens) const {
    try {
      tokens = encode(text, tokenizer, max_length);
    } catch (const Error& reason) {
      pair.error = fmt::format("{}: {}", reader.where(), reason.what());
      if (options_.on_bad_line == OnBadLine::kSkip) return;
      throw FormatError(pair.error + "; --on-error skip leaves such pairs without a score");
    }
  }

  [[noreturn]] void throw_counts() {
    std::string line;
    while (source_.next(line)) {
    }
    while (target_.next(line)) {
    }
    throw FormatError(
        fmt::format("{} has {} lines and {} has {}; line by line they must be the same sentences",
                    source_.name(), source_.line_number(), target_.name(), target_.line_number()));
  }

  void score_good_pairs() {
    std::vector<ScoredPair*> good;
    std::vector<ScoreRequest> requests;
    for (ScoredPair& pair : pairs_) {
      if (!pair.error.empty()) continue;
      good.push_back(&pair);
      requests.push_back({.source = pair.source_tokens, .target = pair.target_tokens});
    }
    std::vector<SentenceScore> scores =
        batched_scores(model_.model, requests, options_.batch_tokens);
    for (size_t i = 0; i < good.size(); ++i) good[i]->score = std::move(scores[i]);
  }

  void count(const ScoredPair& pair) {
    ++counts_.pairs;
    counts_.skipped += pair.error.empty() ? 0 : 1;
    if (!pair.error.empty()) return;
    counts_.target_tokens += static_cast<int64_t>(pair.target_tokens.size());
    counts_.log_probability += pair.score.log_probability;
  }

  void append(const ScoredPair& pair, std::string& out) const {
    if (options_.format == ScoreFormat::kJsonLines) {
      const Json json = json_of(pair, model_.target.vocabulary());
      out += json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
    } else if (pair.error.empty()) {
      fmt::format_to(std::back_inserter(out), "{:.6f}\n", pair.score.log_probability);
    } else {
      out += "nan\n";
    }
  }

  LineReader& source_;
  LineReader& target_;
  const ScoringModel& model_;
  const ScoreOptions& options_;
  std::vector<ScoredPair> pairs_;
  std::exception_ptr failure_;
  ScoreCounts counts_;
};

}  // namespace

ScoreCounts score_stream(LineReader& source, LineReader& target, const ScoringModel& model,
                         const ScoreOptions& options,
                         const std::function<void(std::string_view)>& write) {
  Stream stream(source, target, model, options);
  while (stream.read()) {
    write(stream.score());
    stream.rethrow();
  }
  return stream.counts();
}

}  // namespace skein
