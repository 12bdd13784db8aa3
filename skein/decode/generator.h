// From prompts to the text that a language model goes on with.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skein/decode/batched_search.h"
#include "skein/decode/hypothesis.h"
#include "skein/decode/on_unmet.h"
#include "skein/text/tokenizer.h"

namespace skein {

// What becomes of a prompt that leaves no room in the model's context, its positions without that
// of the end.
enum class LongPrompts {
  kRefuse,    // an error
  kTruncate,  // only its end is read: as much as leaves room for max_length tokens, at least half
};

struct GeneratorOptions {
  // Sampling, or a search; lengths and constraints are set by what follows.
  SearchOptions search = {};
  std::vector<std::string> constraints = {};  // what every text contains behind its prompt
  int64_t n_best = 1;                         // texts of a prompt, at most search.beam
  int64_t min_length = 0;                     // tokens behind the prompt, eos not counted
  int64_t max_length = 200;                   // and what the context has room for
  LongPrompts long_prompts = LongPrompts::kRefuse;
  OnUnmet on_unmet = OnUnmet::kRefuse;
  int64_t batch_tokens = 4096;  // most tokens of a batch, prompts and what follows, times beam
};

struct Prompt {
  int64_t number = 0;           // names its stream of random numbers
  std::vector<int32_t> tokens;  // without eos; may be empty
  std::string text = {};        // as it was given, and what follows it begins behind this
  int64_t unknown = 0;          // tokens that are not in the vocabulary
  bool truncated = false;       // tokens and text are but the end of it
};

struct GeneratedText {
  std::string text;                   // the prompt as it was given, and what follows
  Hypothesis search;                  // what follows: its tokens, eos included, and their score
  bool constraints_left_out = false;  // none was found that meets them
};

class Generator {
 public:
  // make_scorer: of a language model or several. The tokeniser must outlive this object. Throws
  // UsageError for a vocabulary that is not the model's, options out of range, and a constraint
  // that no text can contain.
  Generator(ScorerFactory make_scorer, const Tokenizer& tokenizer, GeneratorOptions options);

  const Tokenizer& tokenizer() const { return tokenizer_; }

  // Throws FormatError if the text is not UTF-8, Error if it is too long and is to be refused.
  Prompt encode(std::string_view text, int64_t number) const;

  // Best first; none if no text met the constraints and they are not to be left out. A prompt's
  // texts depend on that prompt and its number only, not on the others nor on the number of
  // threads.
  std::vector<std::vector<GeneratedText>> generate(std::span<const Prompt> prompts) const;

  // What to tell of a prompt without texts.
  std::string unmet(const Prompt& prompt) const;

  // The first text of one prompt, which is also given to `write` as it grows. Requires a beam of
  // one and no constraints.
  GeneratedText generate(const Prompt& prompt,
                         const std::function<void(std::string_view)>& write) const;

 private:
  SearchOptions options_of(const Prompt& prompt) const;
  std::vector<int32_t> encode_constraint(const std::string& text) const;
  // The tokens that may follow a prompt.
  int64_t room_behind(const Prompt& prompt) const;
  std::vector<std::vector<Hypothesis>> search(std::span<const Prompt> prompts,
                                              bool constrained) const;
  void generate_without_constraints(std::span<const Prompt> prompts,
                                    std::vector<std::vector<GeneratedText>>& texts) const;
  GeneratedText text_of(const Prompt& prompt, Hypothesis found) const;

  ScorerFactory make_scorer_;
  const Tokenizer& tokenizer_;
  GeneratorOptions options_;
  int64_t max_length_ = 0;  // the model's positions
};

}  // namespace skein
