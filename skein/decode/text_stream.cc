#include "skein/decode/text_stream.h"

namespace skein {
namespace {

// Where tokens are bytes, an unfinished character is shown as replacement characters.
std::string_view without_unfinished(std::string_view text) {
  constexpr std::string_view kReplacement = "\uFFFD";
  while (text.ends_with(kReplacement)) text.remove_suffix(kReplacement.size());
  return text;
}

}  // namespace

std::string TextStream::add(int32_t token) {
  tokens_.push_back(token);
  return give_out(without_unfinished(tokenizer_.decode(tokens_)));
}

std::string TextStream::finish() { return give_out(tokenizer_.decode(tokens_)); }

std::string TextStream::give_out(std::string_view text) {
  if (!text.starts_with(given_)) return {};
  std::string fresh(text.substr(given_.size()));
  given_ += fresh;
  return fresh;
}

}  // namespace skein
