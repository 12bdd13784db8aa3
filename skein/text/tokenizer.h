// From text to the ids of pieces and back. What a tokeniser does to a line: it refuses bytes that
// are not UTF-8, brings the text into the normal form that it was learned with, splits it into
// pieces and numbers them. All functions may be called from several threads at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skein/base/random.h"
#include "skein/text/normalize.h"
#include "skein/text/vocabulary.h"

namespace skein {

// What decode() shows for kUnkId.
constexpr std::string_view kUnknownText = "\u2047";  // double question mark

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // The name it is registered under: "unigram", "bpe", "word", "char", "codes".
  virtual std::string type() const = 0;
  virtual const Vocabulary& vocabulary() const = 0;
  virtual Normalization normalization() const = 0;

  // Appends the ids of the pieces of `line`, without kEosId. Throws FormatError if `line` is not
  // UTF-8.
  void encode(std::string_view line, std::vector<int32_t>& ids) const;

  // The pieces of `line`; those that are not in the vocabulary too, as they stand in the text.
  std::vector<std::string> pieces(std::string_view line) const;

  // Another split, drawn at random, of the text that `ids` stand for, so that training sees a word
  // in many forms; symbols, bytes and unknown pieces stay. `alpha`: unigram: the exponent on the
  // probabilities of the splits (Kudo 2018), 0.1 to 0.5 is usual, larger is nearer to the best
  // split; bpe and codes: the probability that a merge is left out (BPE-dropout; Provilkov et al.
  // 2020), 0.1 is usual. By default, as word and char have it, there is one split only.
  virtual std::vector<int32_t> resample(std::span<const int32_t> ids, double alpha,
                                        Random& random) const;
  virtual bool resamples() const { return false; }

  // The text of `ids`. kBosId, kPadId and kEosId are left out, kUnkId becomes kUnknownText. Throws
  // Error if an id is outside the vocabulary.
  virtual std::string decode(std::span<const int32_t> ids) const = 0;

  // For each piece the number, from 0, of the word that it belongs to: words are what white space
  // separates. -1 for a piece between words. `pieces`: as pieces() gives them, or the vocabulary.
  // By default every piece is a word.
  virtual std::vector<int32_t> word_numbers(std::span<const std::string> pieces) const;

  // The content of the file that load_tokenizer() reads.
  virtual std::string serialize() const = 0;
  void save(const std::filesystem::path& path) const;

 protected:
  // `text` is UTF-8 and normalised in all of these. The defaults look up what split() returns.
  virtual std::vector<std::string> split(std::string_view text) const = 0;
  virtual void encode_normalized(std::string_view text, std::vector<int32_t>& ids) const;
  void append_ids(std::span<const std::string> pieces, std::vector<int32_t>& ids) const;

 private:
  std::string prepare(std::string_view line) const;
};

}  // namespace skein
