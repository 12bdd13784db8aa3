// Ctrl-C and a supervisor's SIGTERM as a wish to save and end.
#pragma once

namespace skein::command {

// From here on the first SIGINT or SIGTERM is a request to stop, which stop_requested() tells. So
// is every further one within a second of it: `timeout` and batch systems signal the process and
// then its group. A later one ends the program at once, as that signal does (128 + its number).
void watch_stop_signals();

bool stop_requested();

// Not an error: the program has saved and ends as the signal would have ended it, so that a script
// does not take the work for done.
struct Stopped {
  int signal = 0;
};
// Throws Stopped for the first of the signals that came.
[[noreturn]] void end_as_requested();

}  // namespace skein::command
