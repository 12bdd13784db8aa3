#include "skein/decode/translation_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

namespace skein {
namespace {

using Json = nlohmann::ordered_json;

std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

// Enough digits for a float, without those that its conversion to a double makes up.
double shortened(double value) { return std::round(value * 1e6) / 1e6; }

Json json_of(const TranslatedText& hypothesis, const Vocabulary& target) {
  Json tokens = Json::array();
  for (const int32_t token : hypothesis.search.tokens) tokens.push_back(target.piece(token));
  Json scores = Json::array();
  for (const float score : hypothesis.search.token_scores) {
    scores.push_back(shortened(double{score}));
  }
  Json json = {{"text", hypothesis.text},
               {"score", shortened(hypothesis.search.score)},
               {"tokens", std::move(tokens)},
               {"token_scores", std::move(scores)}};
  if (hypothesis.search.cut) json["cut"] = true;
  return json;
}

std::string json_line(const TranslatedLine& line, const Vocabulary& target) {
  Json json = {{"line", line.number}, {"source", line.source}, {"hypotheses", Json::array()}};
  for (const TranslatedText& hypothesis : line.translation.hypotheses) {
    json["hypotheses"].push_back(json_of(hypothesis, target));
  }
  if (!line.error.empty()) json["error"] = line.error;
  // Bytes that a model put together, and lines that were skipped, need not be UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

void append_translation(const TranslatedLine& line, TranslationFormat format,
                        const Vocabulary& target, std::string& out) {
  const std::vector<TranslatedText>& hypotheses = line.translation.hypotheses;
  switch (format) {
    case TranslationFormat::kText:
      if (!hypotheses.empty()) out += on_one_line(hypotheses[0].text);
      out += '\n';
      return;
    case TranslationFormat::kNBestText:
      for (const TranslatedText& each : hypotheses) {
        fmt::format_to(std::back_inserter(out), "{} ||| {} ||| {:.6f}\n", line.number - 1,
                       on_one_line(each.text), each.search.score);
      }
      return;
    case TranslationFormat::kJsonLines:
      out += json_line(line, target);
      return;
  }
}

}  // namespace skein
