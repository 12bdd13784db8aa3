#include "skein/base/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_of.h"
#include "skein/base/error.h"

namespace skein {
namespace {

struct Example {
  int64_t layers = 6;
  double lr = 5e-4;
  bool tied = false;
  std::string activation = "relu";
  std::vector<double> betas = {0.9, 0.98};

  Settings bind() {
    Settings settings;
    settings.add("model.layers", &layers, "layers", {1, 100});
    settings.add("optimizer.lr", &lr, "learning rate", {0, 10});
    settings.add("optimizer.betas", &betas, "Adam's decay rates", {0, 1});
    settings.add("model.tied", &tied, "tie the embeddings");
    settings.add("model.activation", &activation, "activation", {"relu", "gelu"});
    return settings;
  }
};

TEST(Settings, ATomlFileSetsValuesByTable) {
  Example example;
  example.bind().read_toml(
      "[model]\nlayers = 3\ntied = true\n[optimizer]\nlr = 1\nbetas = [0.8, 0.9]", "x.toml");
  EXPECT_EQ(example.layers, 3);
  EXPECT_TRUE(example.tied);
  EXPECT_DOUBLE_EQ(example.lr, 1.0);
  EXPECT_THAT(example.betas, testing::ElementsAre(0.8, 0.9));
}

TEST(Settings, WrittenTomlReadsBackToTheSameValues) {
  Example written;
  written.lr = 0.1 + 0.2;
  written.activation = "gelu";
  Example read;
  read.bind().read_toml(written.bind().to_toml(), "settings");
  EXPECT_EQ(read.lr, written.lr);
  EXPECT_EQ(read.activation, "gelu");
  EXPECT_EQ(read.betas, written.betas);
}

TEST(Settings, AnUnknownNameIsRefusedWithTheNearest) {
  Example example;
  Settings settings = example.bind();
  EXPECT_EQ(error_of([&] { settings.set("optimiser.lr", "1"); }),
            "unknown setting 'optimiser.lr'; did you mean 'optimizer.lr'?");
}

TEST(Settings, WrongValuesSayWhatWasExpected) {
  Example example;
  Settings settings = example.bind();
  EXPECT_EQ(error_of([&] { settings.set("model.layers", "0"); }),
            "model.layers = 0 is out of range; expected a value from 1 to 100");
  EXPECT_EQ(error_of([&] { settings.set("model.layers", "3.5"); }),
            "model.layers = '3.5': expected a whole number");
  EXPECT_EQ(error_of([&] { settings.set("optimizer.lr", "nan"); }),
            "optimizer.lr = 'nan': expected a number");
  EXPECT_EQ(error_of([&] { settings.set("model.tied", "yes"); }),
            "model.tied = 'yes': expected true or false");
  EXPECT_EQ(error_of([&] { settings.set("model.activation", "swish"); }),
            "model.activation = 'swish': expected one of relu, gelu");
  EXPECT_EQ(error_of([&] { settings.set("model.activation", "rely"); }),
            "model.activation = 'rely': did you mean 'relu'? expected one of relu, gelu");
  EXPECT_EQ(error_of([&] { settings.read_toml("[model", "x.toml"); }).substr(0, 27),
            "x.toml:1: not valid TOML: E");
}

TEST(Settings, AreDescribedWithTheirChoices) {
  Example example;
  for (const Settings::Description& each : example.bind().describe()) {
    if (each.name == "model.activation") {
      EXPECT_THAT(each.choices, testing::ElementsAre("relu", "gelu"));
    } else {
      EXPECT_THAT(each.choices, testing::IsEmpty());
    }
  }
}

TEST(TomlValue, IsTheTextOfATableOrNothing) {
  const auto name_in = [](const char* text) { return toml_value(text, "x.toml", "model", "name"); };
  EXPECT_EQ(name_in("[model]\nname = 'small'"), "small");
  EXPECT_EQ(name_in("[model]\nwidth = 3"), "");
  EXPECT_EQ(name_in("[train]\nname = 'small'"), "");
  EXPECT_EQ(error_of([&] { name_in("[model]\nname = 3"); }),
            "x.toml: model.name must be text in quotes");
  EXPECT_EQ(error_of([&] { name_in("model = 'small'"); }),
            "x.toml: model is a value; expected a table, [model], with name = \"...\" in it");
}

}  // namespace
}  // namespace skein
