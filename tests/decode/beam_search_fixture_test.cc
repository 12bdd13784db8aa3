// Agreement with fairseq's beam search, recorded in shared/fixtures/beam_table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decode/table_scorer.h"
#include "fixture.h"
#include "skein/decode/beam_search.h"

namespace skein {
namespace {

constexpr double kTolerance = 1e-4;

bool is_plain(const nlohmann::json& config) { return !config.contains("strategy"); }

SearchOptions options_of(const nlohmann::json& config, size_t sentence) {
  SearchOptions options;
  options.beam = config.at("beam_size");
  options.length_penalty = config.at("len_penalty");
  options.normalize = config.value("normalize_scores", true);
  options.min_length = config.at("min_len");
  options.max_length_a = config.at("max_len_a");
  options.max_length_b = config.at("max_len_b");
  options.unk_penalty = config.value("unk_penalty", 0.0);
  options.temperature = config.value("temperature", 1.0);
  options.no_repeat_ngram = config.value("no_repeat_ngram_size", int64_t{0});
  if (config.contains("prefix")) {
    options.prefix = config.at("prefix").at(sentence).get<std::vector<int32_t>>();
  }
  return options;
}

void expect_recorded(const Fixture& fixture, const std::string& name, size_t sentence,
                     const std::vector<Hypothesis>& found) {
  const auto count = static_cast<size_t>(fixture.integers(name + ".n")[sentence]);
  const auto per_sentence = static_cast<size_t>(fixture.shape(name + ".tokens")[1]);
  const auto width = static_cast<size_t>(fixture.shape(name + ".tokens")[2]);
  const std::vector<int64_t> tokens = fixture.integers(name + ".tokens");
  const std::vector<int64_t> lengths = fixture.integers(name + ".len");
  const std::vector<float> scores = fixture.floats(name + ".score");
  const std::vector<float> token_scores = fixture.floats(name + ".pos_score");
  ASSERT_EQ(found.size(), count);
  for (size_t i = 0; i < count; ++i) {
    const size_t index = sentence * per_sentence + i;
    const auto length = static_cast<size_t>(lengths[index]);
    EXPECT_NEAR(found[i].score, scores[index], kTolerance);
    ASSERT_EQ(found[i].tokens.size(), length);
    for (size_t t = 0; t < length; ++t) {
      EXPECT_EQ(found[i].tokens[t], tokens[index * width + t]);
      EXPECT_NEAR(found[i].token_scores[t], token_scores[index * width + t], kTolerance);
    }
  }
}

std::unique_ptr<StepScorer> scorer_of(const Fixture& fixture, const std::string& name) {
  const std::vector<int64_t> shape = fixture.shape("table");
  const auto table = [&](const std::string& key) {
    return std::make_unique<TableScorer>(
        Table{.steps = shape[1], .vocabulary = shape[2], .values = fixture.floats(key)});
  };
  if (name != "ensemble_beam5") return table("table");
  std::vector<std::unique_ptr<StepScorer>> members;
  members.push_back(table("table"));
  members.push_back(table("table2"));
  return std::make_unique<EnsembleScorer>(std::move(members));
}

TEST(BeamSearchFixture, EqualsTheReferenceAloneAndInABatch) {
  if (!shared_available("fixtures/beam_table")) GTEST_SKIP() << "shared/fixtures is not here";
  const Fixture fixture("beam_table");
  int configurations = 0;
  for (const auto& [name, config] : fixture.meta.at("configs").items()) {
    if (!is_plain(config)) continue;
    ++configurations;
    SCOPED_TRACE(name);
    const std::unique_ptr<StepScorer> scorer = scorer_of(fixture, name);
    std::vector<SearchOptions> options;
    for (int32_t sentence = 0; sentence < 3; ++sentence) {
      SCOPED_TRACE(sentence);
      options.push_back(options_of(config, static_cast<size_t>(sentence)));
      const auto alone = beam_search(*scorer, table_sources(std::vector{sentence}), options.back());
      expect_recorded(fixture, name, static_cast<size_t>(sentence), alone[0]);
    }
    const auto together = beam_search(*scorer, table_sources(std::vector{0, 1, 2}), options);
    for (size_t i = 0; i < 3; ++i) expect_recorded(fixture, name, i, together[i]);
  }
  EXPECT_EQ(configurations, 21);
}

}  // namespace
}  // namespace skein
