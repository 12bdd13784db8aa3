// A vocabulary that does not fit: every command says so before it computes with wrong pieces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "cli/trained_model.h"
#include "skein/base/files.h"
#include "skein/train/model_folder.h"

namespace skein {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class VocabularyMismatch : public TrainedModel {
 protected:
  void expect_sentence(const std::string& line, int exit_code, const std::string& sentence) const {
    const ShellResult result = run(line);
    EXPECT_EQ(result.exit_code, exit_code) << line;
    EXPECT_THAT(result.error, AllOf(StartsWith("skein: "), HasSubstr(sentence))) << line;
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
    EXPECT_EQ(result.out, "") << line;
  }

  // Text like a.en and a.de but for one letter, which makes its vocabulary another one of the same
  // size; and data prepared with it.
  void prepare_other_letters() const {
    const ShellResult made =
        run("for side in en de; do tr r R < a.$side > other.$side; done && "
            "skein vocab --input other.en other.de --type char --size 100 --output other.model && "
            "skein prepare --source en --target de --train other --valid other --vocab other.model "
            "--output other");
    ASSERT_EQ(made.exit_code, 0) << made.error;
  }

  std::string train(const std::string& data, const std::string& output) const {
    return "skein train --threads 1 --data " + data + " --output " + output +
           " --config model/config.toml --train.max_updates 2";
  }
};

TEST_F(VocabularyMismatch, AModelFolderWithAnotherVocabularyIsRefused) {
  prepare_other_letters();
  ASSERT_EQ(run("cp -rL model/last copy && cp other.model copy/vocab.model").exit_code, 0);
  const std::string sentence =
      "copy/vocab.model: this is not the file that the model was trained with";
  expect_sentence("skein translate --model copy < a.en", 1, sentence);
  expect_sentence("skein score --model copy --source a.en --target a.de", 1, sentence);
}

TEST_F(VocabularyMismatch, ModelsOfDifferentVocabulariesDoNotTranslateTogether) {
  prepare_other_letters();
  ASSERT_EQ(run(train("other", "second")).exit_code, 0);
  expect_sentence("skein translate --model model --model second < a.en", 2,
                  "model and second have different vocabularies");
}

TEST_F(VocabularyMismatch, TrainingGoesOnWithItsOwnVocabularyOnly) {
  prepare_other_letters();
  expect_sentence(train("other", "model"), 2,
                  "other/vocab.model is not the vocabulary of model/checkpoints/step-00000001");
  // The same training goes on with the data that it began with.
  ASSERT_EQ(list_checkpoints(folder_.path() / "model").back().step, 1);
  EXPECT_EQ(run(train("data", "model")).exit_code, 0);
  EXPECT_EQ(list_checkpoints(folder_.path() / "model").back().step, 2);
}

TEST_F(VocabularyMismatch, DataBesideAnotherVocabularyOfItsSizeIsRefused) {
  prepare_other_letters();
  ASSERT_EQ(run("cp other.model data/vocab.model").exit_code, 0);
  for (const std::string& line : {train("data", "new"), std::string("skein inspect data")}) {
    expect_sentence(line, 1,
                    "data/vocab.model: this is not the vocabulary that the data was prepared with; "
                    "run skein prepare again");
  }
}

TEST_F(VocabularyMismatch, DataBesideAVocabularyOfAnotherSizeIsRefused) {
  ASSERT_EQ(run("tr -d r < a.en > fewer.en && skein vocab --input fewer.en --type char --size 100 "
                "--output fewer.model && cp fewer.model data/vocab.model")
                .exit_code,
            0);
  expect_sentence(train("data", "new"), 1,
                  "data/vocab.model: this is not the vocabulary that the data was prepared with");
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "new"));
}

TEST_F(VocabularyMismatch, WhatIsNoVocabularyPreparesNothing) {
  const std::string prepare = "skein prepare --source en --target de --train a --valid a --vocab ";
  expect_sentence(prepare + "a.en --output made", 1,
                  "a.en: this is neither a SentencePiece model nor a '#skein-vocabulary' file");
  expect_sentence(prepare + "v.model --target-vocab nowhere.model --output made", 1,
                  "cannot read nowhere.model");
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "made"));
}

// What is not wrong, but shows a wrong vocabulary: the share of unknown pieces.
TEST_F(VocabularyMismatch, PreparingTellsTheShareOfUnknownPieces) {
  folder_.file("b.en", "xyz\n");
  folder_.file("b.de", "xyz\n");
  const ShellResult result = run(
      "skein prepare --source en --target de --train b --valid a --vocab v.model --output made");
  EXPECT_EQ(result.exit_code, 0);
  // No word of the vocabulary's text has an x or a y: 4 of the 6 letters.
  EXPECT_THAT(result.error, HasSubstr("(3 source and 3 target tokens, 66.67 % unknown)"));
}

}  // namespace
}  // namespace skein
