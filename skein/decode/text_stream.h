// The text of tokens that come one after another, given out as soon as no later token can change
// it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "skein/text/tokenizer.h"

namespace skein {

class TextStream {
 public:
  // The tokeniser must outlive this object.
  explicit TextStream(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  // The text that `token` completes; empty in the middle of a character. Takes the time of decoding
  // a few tokens, however many there were before.
  std::string add(int32_t token);
  // What add() kept back. All texts together are the tokens' text, where no token changes the text
  // of those before; where one does, what is new in it is given out.
  std::string finish();

 private:
  std::string give_out(std::string_view text);
  void forget_tokens();

  const Tokenizer& tokenizer_;
  std::vector<int32_t> tokens_;  // the last ones
  std::string given_;            // of their text
};

}  // namespace skein
