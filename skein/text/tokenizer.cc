#include "skein/text/tokenizer.h"

#include <numeric>

#include "skein/base/files.h"
#include "skein/text/utf8.h"

namespace skein {

std::string Tokenizer::prepare(std::string_view line) const {
  require_utf8(line);
  return normalize(line, normalization());
}

void Tokenizer::encode(std::string_view line, std::vector<int32_t>& ids) const {
  encode_normalized(prepare(line), ids);
}

std::vector<std::string> Tokenizer::pieces(std::string_view line) const {
  return split(prepare(line));
}

std::vector<int32_t> Tokenizer::resample(std::span<const int32_t> ids, double /*alpha*/,
                                         Random& /*random*/) const {
  return {ids.begin(), ids.end()};
}

std::vector<int32_t> Tokenizer::word_numbers(std::span<const std::string> pieces) const {
  std::vector<int32_t> numbers(pieces.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

void Tokenizer::save(const std::filesystem::path& path) const { write_file(path, serialize()); }

void Tokenizer::encode_normalized(std::string_view text, std::vector<int32_t>& ids) const {
  append_ids(split(text), ids);
}

void Tokenizer::append_ids(std::span<const std::string> pieces, std::vector<int32_t>& ids) const {
  for (const std::string& piece : pieces) ids.push_back(vocabulary().id(piece));
}

}  // namespace skein
