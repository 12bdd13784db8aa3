// SentencePieceTokenizer::summarize(): the library's trainer, its complaints turned into our
// errors.
#include <fmt/format.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <unordered_map>

#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/text/line_sample.h"
#include "skein/text/sentencepiece_tokenizer.h"
#include "skein/text/split_words.h"
#include "skein/text/utf8.h"

namespace skein {
namespace {

// The trainer throws a line away that holds this character, its mark for unknown ones.
constexpr std::string_view kReserved = "\u2585";
constexpr size_t kLongestPart = size_t{4} << 10;
constexpr int kMaxThreads = 128;  // the trainer refuses more

class SampleIterator final : public sentencepiece::SentenceIterator {
 public:
  explicit SampleIterator(std::vector<std::string> lines) : lines_(std::move(lines)) {}
  bool done() const override { return next_ >= lines_.size(); }
  void Next() override { lines_[next_++] = std::string(); }  // frees what the trainer has copied
  const std::string& value() const override { return lines_[next_]; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  std::vector<std::string> lines_;
  size_t next_ = 0;
};

void replace_reserved(std::string& line) {
  std::replace(line.begin(), line.end(), '\0', ' ');
  for (size_t at = line.find(kReserved); at != std::string::npos; at = line.find(kReserved, at)) {
    std::fill_n(line.begin() + static_cast<std::ptrdiff_t>(at), kReserved.size(), ' ');
  }
}

bool has_words(std::string_view line) {
  bool found = false;
  split_words(line, [&found](std::string_view) { found = true; });
  return found;
}

// Long lines come in parts, so that none makes a lattice of millions of nodes.
void append_parts(std::string_view line, std::vector<std::string>& parts) {
  while (!line.empty()) {
    size_t length = std::min(line.size(), kLongestPart);
    while (length < line.size() && (static_cast<uint8_t>(line[length]) & 0xC0) == 0x80) --length;
    if (has_words(line.substr(0, length))) parts.emplace_back(line.substr(0, length));
    line.remove_prefix(length);
  }
}

int64_t sample_limit(const std::string& type, const LearnOptions& options) {
  if (options.sample_bytes > 0) return options.sample_bytes;
  return int64_t{type == "bpe" ? 16 : 64} << 20;
}

std::unordered_map<std::string, std::string> trainer_settings(const std::string& type,
                                                              const LearnOptions& options) {
  return {
      {"model_type", type},
      {"vocab_size", std::to_string(options.size)},
      {"character_coverage", fmt::format("{}", options.character_coverage)},
      {"byte_fallback", options.byte_fallback ? "true" : "false"},
      {"user_defined_symbols", fmt::format("{}", fmt::join(options.symbols, ","))},
      {"normalization_rule_name",
       options.normalization == Normalization::kNfkc ? "nfkc" : "identity"},
      {"bos_id", std::to_string(kBosId)},
      {"pad_id", std::to_string(kPadId)},
      {"eos_id", std::to_string(kEosId)},
      {"unk_id", std::to_string(kUnkId)},
      {"num_threads", std::to_string(std::clamp(threads(), 1, kMaxThreads))},
      {"max_sentence_length", std::to_string(kLongestPart)},
      {"minloglevel", "9"},  // silent: what matters comes back in the status
  };
}

// The number behind `mark` in a message of the trainer; 0 if there is none.
int64_t number_behind(std::string_view message, std::string_view mark) {
  const size_t at = message.find(mark);
  if (at == std::string_view::npos) return 0;
  int64_t number = 0;
  for (size_t i = at + mark.size(); i < message.size() && message[i] >= '0' && message[i] <= '9';
       ++i) {
    number = 10 * number + (message[i] - '0');
  }
  return number;
}

[[noreturn]] void fail(std::string_view message, const LearnOptions& options) {
  if (const int64_t most = number_behind(message, "to a value <= "); most > 0) {
    throw UsageError(fmt::format(
        "the text supports a vocabulary of {} pieces at most, {} were asked for; choose a size "
        "of {} or less, or give more text",
        most, options.size, most));
  }
  if (const int64_t least = number_behind(message, " vs "); least > 0) {
    throw UsageError(
        fmt::format("the characters of the text alone take a vocabulary of {} pieces, {} were "
                    "asked for; choose a "
                    "size above {}, or a character coverage below {}",
                    least, options.size, least, options.character_coverage));
  }
  throw Error(
      fmt::format("SentencePiece cannot learn from the text: {}; check size and symbols", message));
}

// A sample of the text's lines, in parts.
class SampleSummary final : public TextSummary {
 public:
  SampleSummary(std::string type, const LearnOptions& options)
      : type_(std::move(type)),
        options_(options),
        sample_(sample_limit(type_, options), options.seed) {}

  void add(std::string_view line) override {
    line_ = line;
    replace_reserved(line_);
    append_parts(line_, waiting_);
  }
  int64_t waiting() const override { return std::ssize(waiting_); }
  void place(int64_t before, int64_t after) override {
    if (before > 0) sample_.skip(before);
    for (const std::string& part : waiting_) sample_.add(part);
    waiting_.clear();
    if (after > 0) sample_.skip(after);
  }
  std::string packed() const override { return sample_.packed(); }
  void add_packed(std::string_view bytes) override { sample_.add_packed(bytes); }
  std::unique_ptr<Tokenizer> learn() override;

 private:
  std::string type_;
  LearnOptions options_;
  LineSample sample_;
  std::vector<std::string> waiting_;
  std::string line_;
};

std::unique_ptr<Tokenizer> SampleSummary::learn() {
  std::vector<std::string> sample = sample_.take();
  // The trainer ends the process when it has no sentence.
  if (sample.empty())
    throw FormatError("the text is empty; give text to learn the vocabulary from");
  SampleIterator iterator(std::move(sample));
  std::string model;
  const sentencepiece::util::Status status = sentencepiece::SentencePieceTrainer::Train(
      trainer_settings(type_, options_), &iterator, &model);
  if (!status.ok()) fail(status.error_message(), options_);
  mark_normalization(options_.normalization, model);
  return SentencePieceTokenizer::load(model, "the learned vocabulary");
}

}  // namespace

std::unique_ptr<TextSummary> SentencePieceTokenizer::summarize(const std::string& type,
                                                               const LearnOptions& options) {
  return std::make_unique<SampleSummary>(type, options);
}

}  // namespace skein
