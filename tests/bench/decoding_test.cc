#include "skein/bench/decoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/temporary_folder.h"
#include "decode/copy_scorer.h"
#include "decode/random_transformer.h"
#include "error_of.h"
#include "skein/decode/score.h"
#include "skein/train/safetensors.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr int64_t kVocabulary = 30;

SentencesToTranslate some_sentences(int64_t count) {
  return forced_lengths(random_pairs(count, kVocabulary, 5));
}

TEST(ForcedLengths, AreThoseOfTheTargets) {
  const std::vector<TokenPair> pairs = {{.source = {7, 8}, .target = {9, 9, 9}},
                                        {.source = {5}, .target = {4}}};
  const SentencesToTranslate sentences = forced_lengths(pairs);
  EXPECT_THAT(sentences.sources, ElementsAre(ElementsAre(7, 8, kEosId), ElementsAre(5, kEosId)));
  EXPECT_THAT(sentences.target_lengths, ElementsAre(3, 1));
}

TEST(MeasureDecoding, CountsTheTokensOfForcedLengths) {
  const auto model = random_transformer(kVocabulary, DType::kF32);
  const SentencesToTranslate sentences = some_sentences(9);
  double tokens = 0;
  for (const int64_t length : sentences.target_lengths) tokens += static_cast<double>(length) + 1;
  for (const int64_t beam : {1, 3}) {
    const DecodingSpeed speed =
        measure_decoding(*model, sentences, {.beam = beam, .batch_tokens = 100, .runs = 2});
    EXPECT_GT(speed.seconds, 0);
    EXPECT_GT(speed.latency_seconds, 0);
    EXPECT_NEAR(speed.target_tokens_per_second * speed.seconds, tokens, 1e-6);
    EXPECT_NEAR(speed.sentences_per_second * speed.seconds, 9, 1e-9);
    EXPECT_GT(speed.peak_tensor_bytes, 0);
    EXPECT_GT(speed.peak_resident_bytes, 0);
  }
}

// The only target of one token that is no end is chosen among all words: score_batch, which runs
// the model over whole sentences, gives each word's log-probability.
TEST(MeasureDecoding, TellsTheLogProbabilityOfTheBestHypotheses) {
  const auto model = random_transformer(kVocabulary, DType::kF32);
  const std::vector<TokenPair> pairs = {{.source = {7, 8, 9}, .target = {4}}};
  double best = -1e9;
  for (int32_t word = 0; word < kVocabulary; ++word) {
    if (word == kPadId || word == kEosId) continue;
    Batch batch;
    batch.source.append(std::vector<int32_t>{7, 8, 9, kEosId});
    batch.target_input.append(std::vector<int32_t>{kEosId, word});
    batch.target.append(std::vector<int32_t>{word, kEosId});
    best = std::max(best, score_batch(*model, batch)[0].log_probability);
  }
  // As large as the vocabulary, so that the search is exact.
  const DecodingSpeed speed =
      measure_decoding(*model, forced_lengths(pairs), {.beam = kVocabulary, .runs = 1});
  EXPECT_NEAR(speed.log_probability, best / 2, 1e-4);
}

TEST(MeasureDecoding, WithoutForcedLengthsTheModelEnds) {
  const auto model = random_transformer(kVocabulary, DType::kF32);
  SentencesToTranslate sentences = some_sentences(2);
  sentences.target_lengths.clear();
  const DecodingSpeed speed = measure_decoding(*model, sentences, {.beam = 1, .runs = 1});
  // At least the end symbols, at most the model's 64 positions.
  EXPECT_GE(speed.target_tokens_per_second * speed.seconds, 2);
  EXPECT_LE(speed.target_tokens_per_second * speed.seconds, 128.001);
}

TEST(MeasureDecoding, RefusesWhatItCannotMeasure) {
  const auto model = random_transformer(kVocabulary, DType::kF32);
  const auto refuse = [&](const SentencesToTranslate& sentences,
                          const DecodingBenchmark& benchmark) {
    return error_of([&] { measure_decoding(*model, sentences, benchmark); });
  };
  EXPECT_EQ(refuse(some_sentences(1), {.runs = 0}), "the number of runs is 0; expected at least 1");
  EXPECT_EQ(refuse(some_sentences(1), {.beam = 0}), "the beam is 0; expected at least 1");
  EXPECT_EQ(refuse(some_sentences(1), {.batch_tokens = 0}),
            "the batches' number of tokens is 0; expected at least 1");
  EXPECT_EQ(refuse(some_sentences(1), {.alone = 0}),
            "the number of sentences translated alone is 0; expected at least 1");
  const std::vector<int32_t> words(64, 7);
  EXPECT_EQ(refuse(forced_lengths({{{.source = words, .target = {7}}}}), {}),
            "sentence 1 has 65 tokens; the model takes at most 64");
  EXPECT_EQ(refuse(forced_lengths({{{.source = {7}, .target = words}}}), {}),
            "sentence 1 has 65 tokens; the model takes at most 64");
}

TEST(ReadSentences, LeavesOutEmptyLinesAndSplitsLongOnes) {
  const TemporaryFolder folder;
  const auto tokenizer = letters();
  const auto path = folder.file("text", "a b\n\n   \none two three. four five six.\n");
  const SentencesToTranslate sentences = read_sentences(path, *tokenizer, 20);
  ASSERT_THAT(sentences.sources, SizeIs(3));
  EXPECT_THAT(sentences.sources[0], SizeIs(4));  // "a b" and its end
  for (const auto& source : sentences.sources) {
    EXPECT_LE(source.size(), 20u);
    EXPECT_EQ(source.back(), kEosId);
  }
  EXPECT_TRUE(sentences.target_lengths.empty());
}

TEST(ReadSentences, TellsFileAndLineOfWhatIsNoText) {
  const TemporaryFolder folder;
  const auto tokenizer = letters();
  const auto bad = folder.file("bad", "a\nb\xff\n");
  EXPECT_THAT(error_of([&] { read_sentences(bad, *tokenizer, 20); }),
              testing::StartsWith(bad.string() + ":2: byte 2 (0xFF) "));
  const auto empty = folder.file("empty", "\n \n");
  EXPECT_EQ(error_of([&] { read_sentences(empty, *tokenizer, 20); }),
            empty.string() + " has no line with content; expected sentences to translate");
}

TEST(RandomModel, IsTheSameForTheSameSeed) {
  const auto config = models().get("transformer_tiny")();
  const auto first = random_model(*config, kVocabulary, DType::kF32, 1);
  const auto again = random_model(*config, kVocabulary, DType::kBF16, 1);
  const auto other = random_model(*config, kVocabulary, DType::kF32, 2);
  const auto values = [](const std::unique_ptr<Model>& model) {
    return model->parameters().find("embedding.weight").variable.value().values<float>();
  };
  EXPECT_TRUE(std::ranges::equal(values(first), values(again)));
  EXPECT_FALSE(std::ranges::equal(values(first), values(other)));
  EXPECT_EQ(again->inference_type(), DType::kBF16);
}

TEST(WriteDecodingTask, WritesSettingsParametersAndSentences) {
  const TemporaryFolder folder;
  const auto model = random_transformer(kVocabulary, DType::kF32);
  const std::vector<TokenPair> pairs = {{.source = {7, 8}, .target = {9}}};
  write_decoding_task("[model]\nheads = 3\n", *model, pairs, folder.path() / "task");
  EXPECT_EQ(read_file(folder.path() / "task/config.toml"), "[model]\nheads = 3\n");
  EXPECT_THAT(read_file(folder.path() / "task/sentences.jsonl"),
              HasSubstr("{\"source\":[7,8],\"target\":[9]}\n"));
  const SafetensorsFile file(folder.path() / "task/model.safetensors");
  EXPECT_EQ(file.entries().size(), model->parameters().parameters().size());
}

}  // namespace
}  // namespace skein
