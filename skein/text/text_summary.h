// What a tokeniser is learned from: counts or a sample of a text's lines. Summaries of the parts of
// a text, put together, are the summary of the text.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "skein/text/counter.h"
#include "skein/text/learn_options.h"
#include "skein/text/tokenizer.h"

namespace skein {

class TextSummary {
 public:
  virtual ~TextSummary() = default;

  // The next line, UTF-8 and normalised.
  virtual void add(std::string_view line) = 0;

  // What the lines since the last place() draw random numbers for, which depend on where in the
  // text it stands.
  virtual int64_t waiting() const { return 0; }
  // Before all that is waiting, `before` more stand in parts of the text that are others', and
  // behind it `after`.
  virtual void place(int64_t /*before*/, int64_t /*after*/) {}

  // Of a summary, all of which is placed, to be added to the one of another part.
  virtual std::string packed() const = 0;
  virtual void add_packed(std::string_view bytes) = 0;
  // False if memory was short, so that the order of lines mattered: the summaries of parts then are
  // not that of the whole.
  virtual bool exact() const { return true; }

  // Throws as learn_tokenizer() does.
  virtual std::unique_ptr<Tokenizer> learn() = 0;
};

// A count of pieces.
class CountSummary final : public TextSummary {
 public:
  struct Steps {
    std::function<void(std::string_view line, Counter& counter)> count;
    std::function<std::unique_ptr<Tokenizer>(const Counter& counter)> learn;
  };

  CountSummary(const LearnOptions& options, Steps steps)
      : counter_(static_cast<size_t>(options.max_counted)), steps_(std::move(steps)) {}

  void add(std::string_view line) override { steps_.count(line, counter_); }
  std::string packed() const override { return counter_.packed(); }
  void add_packed(std::string_view bytes) override { counter_.add_packed(bytes); }
  bool exact() const override { return !counter_.forgot(); }
  std::unique_ptr<Tokenizer> learn() override { return steps_.learn(counter_); }

 private:
  Counter counter_;
  Steps steps_;
};

// Of a text that is summed up by one.
inline std::unique_ptr<Tokenizer> learn_from(TextSummary& summary, const LineSource& lines) {
  std::string line;
  while (lines(line)) {
    summary.add(line);
    summary.place(0, 0);
  }
  return summary.learn();
}

}  // namespace skein
