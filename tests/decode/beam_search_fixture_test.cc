// Agreement with fairseq's beam search, recorded in shared/fixtures/beam_table and, for a ConvS2S
// model, beam_fconv.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "decode/table_scorer.h"
#include "models/fconv_fixture.h"
#include "skein/decode/beam_search.h"
#include "skein/decode/model_scorer.h"

namespace skein {
namespace {

constexpr double kTolerance = 1e-4;

// With one candidate for each place in the beam, the reference goes on behind the end of a
// sentence.
bool is_compared(const nlohmann::json& config) {
  return !config.contains("strategy_args") || config.at("strategy_args").value("multiple", 2) == 2;
}

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
  const std::string strategy = config.value("strategy", "beam");
  if (strategy == "siblings")
    options.diversity.sibling_rate = config.at("strategy_args").at("rate");
  if (strategy == "diverse") {
    const nlohmann::json& arguments = config.at("strategy_args");
    options.diversity = {.groups = arguments.at("groups"),
                         .strength = arguments.at("strength"),
                         .discount = arguments.at("discount")};
  }
  if (config.contains("constraints")) {
    options.constraints =
        config.at("constraints").at(sentence).get<std::vector<std::vector<int32_t>>>();
    options.constraint_order =
        strategy == "ordered" ? ConstraintOrder::kGiven : ConstraintOrder::kAny;
  }
  return options;
}

void expect_recorded(const Fixture& fixture, const std::string& name, size_t sentence,
                     std::vector<Hypothesis> found) {
  // Of constrained hypotheses that the maximum length ended, the reference loses some.
  if (fixture.meta.at("configs").at(name).contains("constraints")) {
    std::erase_if(found, [](const Hypothesis& each) { return each.cut; });
  }
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

// Every comparable configuration, each sentence alone and all in a batch.
int expect_every_configuration(
    const Fixture& fixture, const PackedSequences& sources,
    const std::function<std::unique_ptr<StepScorer>(std::string)>& make) {
  int configurations = 0;
  for (const auto& [name, config] : fixture.meta.at("configs").items()) {
    if (!is_compared(config)) continue;
    ++configurations;
    SCOPED_TRACE(name);
    const std::unique_ptr<StepScorer> scorer = make(name);
    std::vector<SearchOptions> options;
    for (size_t sentence = 0; sentence < 3; ++sentence) {
      SCOPED_TRACE(sentence);
      options.push_back(options_of(config, sentence));
      PackedSequences source;
      source.append(sources.sentence(sentence));
      expect_recorded(fixture, name, sentence, beam_search(*scorer, source, options.back())[0]);
    }
    const auto together = beam_search(*scorer, sources, options);
    for (size_t i = 0; i < 3; ++i) expect_recorded(fixture, name, i, together[i]);
  }
  return configurations;
}

TEST(BeamSearchFixture, EqualsTheReferenceAloneAndInABatch) {
  if (!shared_available("fixtures/beam_table")) GTEST_SKIP() << "shared/fixtures is not here";
  const Fixture fixture("beam_table");
  const int configurations =
      expect_every_configuration(fixture, table_sources(std::vector{0, 1, 2}),
                                 [&](const std::string& name) { return scorer_of(fixture, name); });
  EXPECT_EQ(configurations, 28);
}

TEST(BeamSearchFixture, EqualsTheReferenceWithAConvolutionalModel) {
  if (!shared_available("fixtures/beam_fconv")) GTEST_SKIP() << "shared/fixtures is not here";
  const Fixture fixture("beam_fconv"), parameters("fconv_attn_all");
  const std::unique_ptr<FConv> model = fixture_fconv(parameters);
  PackedSequences sources;
  for (int s = 0; s < 3; ++s) {
    sources.append(token_ids(fixture, "s" + std::to_string(s) + ".src"));
  }
  const int configurations = expect_every_configuration(
      fixture, sources, [&](const std::string&) { return std::make_unique<ModelScorer>(*model); });
  EXPECT_EQ(configurations, 28);
}

// The attention of the best hypothesis of every sentence, token by token.
TEST(BeamSearchFixture, AlignsTheBestHypothesesOfAConvolutionalModelAsTheReference) {
  if (!shared_available("fixtures/beam_fconv")) GTEST_SKIP() << "shared/fixtures is not here";
  const Fixture fixture("beam_fconv"), parameters("fconv_attn_all");
  const std::unique_ptr<FConv> model = fixture_fconv(parameters);
  const std::string name = "beam5_lenpen1.0";
  const std::vector<int64_t> tokens = fixture.integers(name + ".tokens");
  const std::vector<int64_t> lengths = fixture.integers(name + ".len");
  const size_t per_sentence = tokens.size() / 3, hypotheses = lengths.size() / 3;
  for (size_t s = 0; s < 3; ++s) {
    const std::string sentence = "s" + std::to_string(s);
    const std::vector<int32_t> source = token_ids(fixture, sentence + ".src");
    const auto length = static_cast<size_t>(lengths[s * hypotheses]);
    std::vector<int32_t> input = {2};
    for (size_t t = 0; t + 1 < length; ++t) {
      input.push_back(static_cast<int32_t>(tokens[s * per_sentence + t]));
    }
    Batch batch;
    batch.source.append(source);
    batch.target_input.append(input);
    const Tensor alignment = model->alignment(batch);
    const std::string key = name + ".best_attention." + sentence;  // [source, target]
    const std::vector<float> expected = fixture.floats(key);
    ASSERT_EQ(fixture.shape(key)[1], static_cast<int64_t>(length));
    for (size_t t = 0; t < length; ++t) {
      for (size_t i = 0; i < source.size(); ++i) {
        EXPECT_NEAR(alignment.values<float>()[t * source.size() + i], expected[i * length + t],
                    kTolerance);
      }
    }
  }
}

}  // namespace
}  // namespace skein
