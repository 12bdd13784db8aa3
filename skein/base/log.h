// What a command tells its user while it works: on standard error, as text or as JSON lines.
#pragma once

#include <string>
#include <string_view>

namespace skein {

enum class LogFormat { kText, kJson };

// Chosen once by the command; text is the default.
void set_log_format(LogFormat format);
LogFormat log_format();

void log_info(std::string_view message);
void log_warning(std::string_view message);

}  // namespace skein
