// Agreement with five steps of the published reference implementation.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "optim/example_parameters.h"
#include "shared_data.h"
#include "skein/optim/norm.h"
#include "skein/optim/optimizer.h"
#include "skein/train/safetensors.h"

namespace skein {
namespace {

using Json = nlohmann::json;

class OptimizerReference : public testing::Test {
 protected:
  void SetUp() override {
    if (!shared_available("fixtures/optimisers")) {
      GTEST_SKIP() << "the reference values (../shared/fixtures/optimisers) are not here";
    }
    file_ = std::make_unique<SafetensorsFile>(shared_path("fixtures/optimisers/data.safetensors"));
    configs_ = Json::parse(read_file(shared_path("fixtures/optimisers/meta.json")))["configs"];
  }

  std::vector<float> row(const std::string& name, int64_t row) const {
    const Tensor all = file_->read(name);
    const auto values = all.slice(row, row + 1);
    const auto span = values.values<float>();
    return {span.begin(), span.end()};
  }
  std::vector<float> whole(const std::string& name) const {
    const Tensor all = file_->read(name);
    return {all.values<float>().begin(), all.values<float>().end()};
  }

  FlatParameters start() const {
    return parameters_of({{"W", {3, 4}, whole("W0"), std::vector<float>(12)},
                          {"b", {5}, whole("b0"), std::vector<float>(5)}});
  }
  void set_gradients(FlatParameters& parameters, int64_t step) const {
    for (const FlatParameters::Part& part : parameters.parts) {
      const std::vector<float> gradient = row("grad_" + part.name, step);
      std::copy(gradient.begin(), gradient.end(),
                view(parameters.gradients, part).values<float>().begin());
    }
  }
  // Within the tolerance that the reference's page gives for forward values.
  static void expect_near(const Tensor& values, const std::vector<float>& expected,
                          const std::string& what) {
    ASSERT_EQ(values.elements(), static_cast<int64_t>(expected.size()));
    float largest = 1;
    for (const float each : expected) largest = std::max(largest, std::abs(each));
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(values.values<float>()[i], expected[i], 2e-5f * largest) << what << " " << i;
    }
  }

  OptimizerOptions options(const std::string& name) const {
    const Json& config = configs_[name];
    OptimizerOptions result;
    result.name = name.substr(0, name.find('_'));
    result.weight_decay = config["weight_decay"];
    result.momentum = config.value("momentum", -1.0);
    result.epsilon = config.value("eps", 1e-8);
    if (config.contains("betas")) {
      result.beta1 = config["betas"][0];
      result.beta2 = config["betas"][1];
    }
    if (!config.contains("decay_rate")) return result;
    result.adafactor = {.decay_rate = -config["decay_rate"].get<double>(),
                        .clip_threshold = config["clip_threshold"],
                        .beta1 = config["beta1"].is_null() ? 0 : config["beta1"].get<double>(),
                        .scale_parameter = config["scale_parameter"],
                        .relative_step = config["relative_step"],
                        .warmup = config["warmup_init"]};
    return result;
  }

  void expect_agreement(const std::string& name) const {
    FlatParameters parameters = start();
    const auto optimizer = make_optimizer(options(name), parameters);
    for (int64_t step = 0; step < 5; ++step) {
      set_gradients(parameters, step);
      const bool has_rate = file_->find(name + ".lr") != nullptr;
      optimizer->step({.lr = has_rate ? static_cast<double>(row(name + ".lr", step)[0]) : 0.0});
      for (const FlatParameters::Part& part : parameters.parts) {
        expect_near(view(parameters.values, part), row(name + "." + part.name, step),
                    name + "." + part.name);
      }
    }
    expect_same_state(name, *optimizer);
  }

  void expect_same_state(const std::string& name, const Optimizer& optimizer) const {
    const std::map<std::string, std::string> names = {
        {"mean", "exp_avg"},        {"variance", "exp_avg_sq"},    {"momentum", "momentum_buffer"},
        {"row_mean_square", "row"}, {"column_mean_square", "col"}, {"mean_square", "sq"}};
    for (const NamedTensor& state : optimizer.state_tensors()) {
      const auto known = names.find(state.name.substr(2));
      if (known == names.end()) continue;  // an average of updates is not recorded
      expect_near(state.values, whole(name + ".state_" + state.name.substr(0, 2) + known->second),
                  name + "." + state.name);
    }
  }

  std::unique_ptr<SafetensorsFile> file_;
  Json configs_;
};

TEST_F(OptimizerReference, NagAdamAndAdafactorAgreeInEveryStep) {
  for (const auto& [name, config] : configs_.items()) {
    if (name.starts_with("adafactor_scale_param")) continue;
    SCOPED_TRACE(name);
    expect_agreement(name);
  }
  EXPECT_EQ(configs_.size(), 13U);
}

double root_mean_square(const Tensor& tensor) {
  return std::sqrt(sum_of_squares(tensor.values<float>()) / static_cast<double>(tensor.elements()));
}

// The reference lets the scale of W multiply the rate of b too, so b is updated here with that
// rate; W, which comes first, has none before it.
TEST_F(OptimizerReference, AdafactorScalesByTheParameter) {
  const std::string name = "adafactor_scale_param_reset_lr";
  FlatParameters first = parameters_of({{"W", {3, 4}, whole("W0"), std::vector<float>(12)}});
  FlatParameters second = parameters_of({{"b", {5}, whole("b0"), std::vector<float>(5)}});
  const auto first_optimizer = make_optimizer(options(name), first);
  const auto second_optimizer = make_optimizer(options(name), second);
  for (int64_t step = 0; step < 5; ++step) {
    set_gradients(first, step);
    set_gradients(second, step);
    const double lr = static_cast<double>(row(name + ".lr", step)[0]);
    const double carried = lr * root_mean_square(view(first.values, first.parts[0]));
    first_optimizer->step({.lr = lr});
    second_optimizer->step({.lr = carried});
    expect_near(view(first.values, first.parts[0]), row(name + ".W", step), "W");
    expect_near(view(second.values, second.parts[0]), row(name + ".b", step), "b");
  }
}

TEST_F(OptimizerReference, ClippingAgrees) {
  FlatParameters parameters = start();
  set_gradients(parameters, 0);
  const Clipping clipping = clip_by_global_norm(parameters, 1, 0.1, 1);
  EXPECT_NEAR(clipping.norm, static_cast<double>(whole("clip.norm")[0]), 1e-5);
  for (const FlatParameters::Part& part : parameters.parts) {
    Tensor gradient = view(parameters.gradients, part).copy();
    for (float& value : gradient.values<float>()) {
      value *= static_cast<float>(clipping.gradient_scale);
    }
    expect_near(gradient, whole("clip." + part.name), "clip." + part.name);
  }
}

}  // namespace
}  // namespace skein
