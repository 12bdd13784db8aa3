#include "skein/base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>

namespace skein {
namespace {

std::atomic<LogFormat> format_in_use{LogFormat::kText};

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    auto created = std::make_shared<spdlog::logger>(
        "skein", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    created->set_pattern("%v");
    created->flush_on(spdlog::level::info);
    return created;
  }();
  return *instance;
}

void write(std::string_view level, std::string_view prefix, std::string_view message) {
  if (format_in_use == LogFormat::kJson) {
    logger().info(nlohmann::json{{"level", level}, {"message", message}}.dump());
  } else {
    logger().info("{}{}", prefix, message);
  }
}

}  // namespace

void mute_log() { logger().set_level(spdlog::level::off); }
void set_log_format(LogFormat format) { format_in_use = format; }
LogFormat log_format() { return format_in_use; }
void log_info(std::string_view message) { write("info", "", message); }
void log_row(std::string_view json) { logger().info("{}", json); }
void log_warning(std::string_view message) { write("warning", "warning: ", message); }

}  // namespace skein
