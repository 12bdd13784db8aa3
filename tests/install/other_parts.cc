// A plug-in with a part of every kind but a model: a criterion, an optimiser, a schedule and a
// tokeniser, small enough to follow what a training with them does.
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "skein/base/plugin.h"
#include "skein/kernels/elementwise.h"
#include "skein/optim/optimizer.h"
#include "skein/optim/schedule.h"
#include "skein/text/listed_tokenizer.h"
#include "skein/text/tokenizers.h"
#include "skein/train/criterion.h"

namespace {

// Twice the cross entropy.
class Doubled : public skein::Criterion {
 public:
  skein::Loss operator()(skein::Tape& tape, const skein::Model& model,
                         const skein::Batch& batch) const override {
    const skein::Variable features = model.features(tape, batch);
    const auto once = [&] {
      return skein::cross_entropy(tape, features, model.output(tape), batch.target.tokens, 0);
    };
    const std::vector<skein::Loss> both = {once(), once()};
    return skein::sum(tape, both);
  }
};

// Every value moves by the rate against the sign of its gradient.
class SignDescent : public skein::Optimizer {
 public:
  explicit SignDescent(const skein::FlatParameters& parameters) : parameters_(parameters) {}

  void step(const skein::UpdateStep& step) override {
    skein::Tensor values = parameters_.values;
    float* value = values.data<float>();
    const float* gradient = parameters_.gradients.data<float>();
    for (int64_t i = 0; i < values.elements(); ++i) {
      if (gradient[i] != 0) value[i] -= std::copysign(static_cast<float>(step.lr), gradient[i]);
    }
    skein::Tensor half = parameters_.half;
    if (half.defined()) skein::kernels::convert(values, half);
  }
  std::vector<skein::NamedTensor> state_tensors() const override { return {}; }

 private:
  skein::FlatParameters parameters_;
};

// The first rate, halved at every update.
class Halving : public skein::Schedule {
 public:
  explicit Halving(double first) : first_(first) {}

 protected:
  double rate(int64_t updates) override { return std::ldexp(first_, -static_cast<int>(updates)); }

 private:
  double first_;
};

// Pieces end at every hyphen, which they lose.
class Hyphens : public skein::ListedTokenizer {
 public:
  explicit Hyphens(skein::VocabularyFile file) : ListedTokenizer(std::move(file)) {}

  static std::vector<std::string> parts(std::string_view text) {
    std::vector<std::string> found(1);
    for (const char c : text) {
      if (c == '-') {
        found.emplace_back();
      } else {
        found.back() += c;
      }
    }
    return found;
  }

  static std::unique_ptr<skein::Tokenizer> learn(const skein::LearnOptions&,
                                                 const skein::LineSource& lines) {
    skein::VocabularyFile file{.type = "hyphens",
                               .sections = {{.name = "symbols"}, {.name = "pieces"}},
                               .origin = "hyphens"};
    skein::Vocabulary known;
    for (std::string line; lines(line);) {
      for (const std::string& part : parts(line)) {
        if (known.add(part)) file.sections[1].lines.push_back(part);
      }
    }
    return std::make_unique<Hyphens>(std::move(file));
  }

  std::string decode(std::span<const int32_t> ids) const override {
    std::string text;
    for (const int32_t id : ids) {
      if (id < skein::kUnkId) continue;
      if (!text.empty()) text += '-';
      text += vocabulary().piece(id);
    }
    return text;
  }

 protected:
  std::vector<std::string> split(std::string_view text) const override { return parts(text); }
};

}  // namespace

void skein_register_plugin() {
  skein::criterion_registry().add(
      "doubled", [](const skein::CriterionOptions&) -> std::unique_ptr<skein::Criterion> {
        return std::make_unique<Doubled>();
      });
  skein::optimizer_registry().add(
      "sign_descent",
      [](const skein::OptimizerOptions&,
         const skein::FlatParameters& parameters) -> std::unique_ptr<skein::Optimizer> {
        return std::make_unique<SignDescent>(parameters);
      });
  skein::schedule_registry().add(
      "halving",
      [](const skein::ScheduleOptions&,
         const skein::ScheduleInputs& inputs) -> std::unique_ptr<skein::Schedule> {
        return std::make_unique<Halving>(inputs.rates.front());
      });
  skein::tokenizers().add(
      "hyphens",
      {.learn = Hyphens::learn, .load = [](std::string_view content, const std::string& origin) {
         return std::make_unique<Hyphens>(skein::VocabularyFile::parse(content, origin));
       }});
}
