// Agreement with the published reference implementation, run over 20 updates.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "skein/base/files.h"
#include "skein/optim/schedule.h"
#include "tests/shared_data.h"

namespace skein {
namespace {

using Json = nlohmann::json;

std::string schedule_of(const std::string& configuration) {
  for (const std::string& name : schedule_registry().names()) {
    if (configuration.starts_with(name)) return name;
  }
  return configuration;
}

double number(const Json& config, const char* name, double missing) {
  return config.contains(name) && !config[name].is_null() ? config[name].get<double>() : missing;
}

int64_t count(const Json& config, const char* name) {
  return static_cast<int64_t>(number(config, name, 0));
}

ScheduleOptions options_of(const std::string& configuration, const Json& config) {
  ScheduleOptions options;
  options.name = schedule_of(configuration);
  options.warmup_updates = count(config, "warmup_updates") + count(config, "warmup_steps");
  options.warmup_start_lr = number(config, "warmup_init_lr", -1);
  options.min_lr = number(config, "min_lr", 0) + number(config, "end_learning_rate", 0);
  options.max_lr = number(config, "max_lr", 0);
  options.shrink = number(config, "lr_shrink", 0.1);
  options.shrink_min = config.value("shrink_min", false);
  options.force_anneal = count(config, "force_anneal");
  options.total_updates = count(config, "total_num_update") + count(config, "max_update");
  options.period_updates = std::max<int64_t>(count(config, "lr_period_updates"), 0);
  options.period_factor = number(config, "t_mult", 1);
  options.power = number(config, "power", 1);
  options.hold_updates = count(config, "hold_steps");
  options.decay_updates = count(config, "decay_steps");
  if (config.contains("phase_ratio") && !config["phase_ratio"].is_null()) {
    options.phase_ratio = config["phase_ratio"].get<std::vector<double>>();
  }
  options.start_scale = number(config, "init_lr_scale", 0);
  options.end_scale = number(config, "final_lr_scale", 0);
  options.patience = count(config, "lr_patience");
  options.threshold = number(config, "lr_threshold", 0);
  options.maximize = config.value("maximize_best_checkpoint_metric", false);
  return options;
}

void expect_same_rates(const std::string& configuration, const Json& config) {
  SCOPED_TRACE(configuration);
  const auto schedule = make_schedule(options_of(configuration, config),
                                      {.rates = config["lr"].get<std::vector<double>>()});
  const auto expected = config["lr_exact"].get<std::vector<std::string>>();
  const auto per_epoch = config["updates_per_epoch"].get<size_t>();
  for (size_t u = 0; u < expected.size(); ++u) {
    const size_t epoch = u / per_epoch;  // from 0
    if (u % per_epoch == 0) {
      schedule->begin_epoch(static_cast<int64_t>(epoch + 1), static_cast<int64_t>(u));
    }
    const double rate = std::stod(expected[u]);
    EXPECT_NEAR(schedule->lr(), rate, 1e-14 * std::max(1.0, rate)) << "update " << u;
    const auto made = static_cast<int64_t>(u + 1);
    schedule->update(made);
    if ((u + 1) % per_epoch != 0) continue;
    std::optional<double> validation;
    if (config.contains("val_loss_per_epoch")) validation = config["val_loss_per_epoch"][epoch];
    schedule->end_epoch(validation, made);
  }
}

TEST(ScheduleReference, EveryConfigurationAgreesInEveryUpdate) {
  if (!shared_available("fixtures/lr_schedules")) {
    GTEST_SKIP() << "the reference rates (../shared/fixtures/lr_schedules) are not here";
  }
  const Json meta = Json::parse(read_file(shared_path("fixtures/lr_schedules/meta.json")));
  for (const auto& [configuration, config] : meta["configs"].items()) {
    expect_same_rates(configuration, config);
  }
  EXPECT_EQ(meta["configs"].size(), 20U);
}

}  // namespace
}  // namespace skein
