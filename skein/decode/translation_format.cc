#include "skein/decode/translation_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

namespace skein {
namespace {

using Json = nlohmann::ordered_json;

// Enough digits for a float, without those that its conversion to a double makes up.
double shortened(double value) { return std::round(value * 1e6) / 1e6; }

// JSON has no infinity, which is the score of a text that a model of the reranking cannot read.
void add_score(const char* key, double value, Json& json) {
  if (std::isfinite(value)) json[key] = shortened(value);
}

Json json_of(const TranslatedText& hypothesis, bool alignment, const Vocabulary& target) {
  Json tokens = Json::array();
  for (const int32_t token : hypothesis.search.tokens) tokens.push_back(target.piece(token));
  Json scores = Json::array();
  for (const float score : hypothesis.search.token_scores) {
    scores.push_back(shortened(double{score}));
  }
  Json json = {{"text", hypothesis.text}};
  add_score("score", hypothesis.search.score, json);
  json["tokens"] = std::move(tokens);
  json["token_scores"] = std::move(scores);
  if (hypothesis.search.cut) json["cut"] = true;
  if (alignment) {
    json["alignment"] = Json::array();
    for (const WordPair& pair : hypothesis.alignment) {
      json["alignment"].push_back({pair.source, pair.target});
    }
  }
  if (hypothesis.channel) {
    add_score("direct_score", hypothesis.channel->direct, json);
    add_score("channel_score", hypothesis.channel->channel, json);
    add_score("language_score", hypothesis.channel->language, json);
  }
  return json;
}

std::string json_line(const TranslatedLine& line, const TranslationStyle& style,
                      const Vocabulary& target) {
  const Translation& translation = line.translation;
  Json json = {{"line", line.source.number},
               {style.source_key, line.source.source},
               {"hypotheses", Json::array()}};
  for (const TranslatedText& hypothesis : translation.hypotheses) {
    json["hypotheses"].push_back(json_of(hypothesis, style.alignment, target));
  }
  if (translation.constraints_left_out) json["constraints_left_out"] = true;
  if (!translation.error.empty()) json["error"] = translation.error;
  // Bytes that a model put together, and lines that were skipped, need not be UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

// ` ||| 0-0 1-2` if alignments are written.
std::string alignment_column(const TranslatedText& hypothesis, const TranslationStyle& style) {
  return style.alignment ? " ||| " + pharaoh_text(hypothesis.alignment) : "";
}

}  // namespace

std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

void append_translation(const TranslatedLine& line, const TranslationStyle& style,
                        const Vocabulary& target, std::string& out) {
  const std::vector<TranslatedText>& hypotheses = line.translation.hypotheses;
  switch (style.format) {
    case TranslationFormat::kText:
      if (!hypotheses.empty()) {
        out += on_one_line(hypotheses[0].text) + alignment_column(hypotheses[0], style);
      }
      out += '\n';
      return;
    case TranslationFormat::kNBestText:
      for (const TranslatedText& each : hypotheses) {
        fmt::format_to(std::back_inserter(out), "{} ||| {} ||| {:.6f}{}\n", line.source.number - 1,
                       on_one_line(each.text), each.search.score, alignment_column(each, style));
      }
      return;
    case TranslationFormat::kJsonLines:
      out += json_line(line, style, target);
      return;
  }
}

}  // namespace skein
