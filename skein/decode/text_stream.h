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

  // The text that `token` completes; empty in the middle of a character.
  std::string add(int32_t token);
  // What add() kept back. All texts together are the tokens' text.
  std::string finish();

 private:
  std::string give_out(std::string_view text);

  const Tokenizer& tokenizer_;
  std::vector<int32_t> tokens_;
  std::string given_;
};

}  // namespace skein
