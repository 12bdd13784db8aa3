// What a command tells its user while it works: on standard error, as text or as JSON lines.
#pragma once

#include <string>
#include <string_view>

namespace skein {

enum class LogFormat { kText, kJson };

// Chosen once by the command; text is the default.
void set_log_format(LogFormat format);
LogFormat log_format();

// Nothing is told from now on: another process tells the same.
void mute_log();

void log_info(std::string_view message);
void log_warning(std::string_view message);
// A line that is JSON already, for --log-format json.
void log_row(std::string_view json);

}  // namespace skein
