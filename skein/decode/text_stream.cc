#include "skein/decode/text_stream.h"

#include <algorithm>

namespace skein {
namespace {

// What tokens do to the text of their neighbours does not reach further.
constexpr size_t kKeptTokens = 8;
constexpr size_t kMostTokens = 4 * kKeptTokens;

// Where tokens are bytes, an unfinished character is shown as replacement characters.
std::string_view without_unfinished(std::string_view text) {
  constexpr std::string_view kReplacement = "\uFFFD";
  while (text.ends_with(kReplacement)) text.remove_suffix(kReplacement.size());
  return text;
}

}  // namespace

std::string TextStream::add(int32_t token) {
  tokens_.push_back(token);
  std::string text = give_out(without_unfinished(tokenizer_.decode(tokens_)));
  if (tokens_.size() >= kMostTokens) forget_tokens();
  return text;
}

std::string TextStream::finish() { return give_out(tokenizer_.decode(tokens_)); }

std::string TextStream::give_out(std::string_view text) {
  const auto known = std::mismatch(text.begin(), text.end(), given_.begin(), given_.end()).first;
  auto at = static_cast<size_t>(known - text.begin());
  // Text that is kept back again was given out already.
  if (at == text.size()) return {};
  const auto goes_on = [&] { return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U; };
  while (at > 0 && goes_on()) --at;
  given_ = text;
  return std::string(text.substr(at));
}

// Only where the last tokens by themselves give the end of the text.
void TextStream::forget_tokens() {
  const std::vector<int32_t> last(tokens_.end() - kKeptTokens, tokens_.end());
  const std::string text = tokenizer_.decode(last);
  if (text.empty() || !given_.ends_with(text) || tokenizer_.decode(tokens_) != given_) return;
  tokens_ = last;
  given_ = text;
}

}  // namespace skein
