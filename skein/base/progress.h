// A line that tells how far a long task is: rewritten in place on a terminal; elsewhere a plain
// line now and then.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace skein {

enum class ProgressStyle { kTerminal, kLines };

// kTerminal where standard error is one and the log is text.
ProgressStyle progress_style();

class Progress {
 public:
  // Receives what is to be written, control characters included.
  using Sink = std::function<void(std::string_view)>;

  // On a terminal a line stands for at least a tenth of a second; elsewhere lines come at least
  // `seconds_between_lines` apart, through log_info.
  struct Options {
    double seconds_between_lines = 10;
  };

  // To standard error.
  Progress() : Progress(Options()) {}
  explicit Progress(const Options& options);
  Progress(const Options& options, ProgressStyle style, Sink sink);
  // A terminal's line stays, ended.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `now` in seconds, from any clock that only goes forward (seconds_now()). The last text is not
  // lost: finish() or the destructor writes it.
  void update(std::string text, double now);

  // Ends the line, so that something else can be written below.
  void finish();

 private:
  void write();

  Options options_;
  ProgressStyle style_;
  Sink sink_;
  std::string text_;
  bool pending_ = false;  // `text_` was not written yet
  bool open_ = false;     // the terminal's line was begun
  bool written_ = false;
  double last_ = 0;
};

// Seconds since an unspecified moment, never going back.
double seconds_now();

// "45 s", "12 min 5 s", "3 h 5 min", "2 d 4 h".
std::string duration_text(double seconds);

// "950", "12.3k", "4.56M": three significant digits.
std::string count_text(double count);

}  // namespace skein
