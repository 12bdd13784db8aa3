// The pieces that a model knows, numbered. Ids 0 to 3 are the special tokens, in fairseq's order,
// so that its models keep their ids; then come the symbols that the user defined (`<2de>`), then
// the pieces.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skein {

constexpr int32_t kBosId = 0;  // begin of sentence
constexpr int32_t kPadId = 1;  // in no batch of ours; keeps ids compatible
constexpr int32_t kEosId = 2;  // end of sentence; decoders also start from it
constexpr int32_t kUnkId = 3;  // a piece that is not in the vocabulary
constexpr int32_t kSpecialTokens = 4;

// `<s>`, `<pad>`, `</s>` or `<unk>`: not to be used as a symbol or piece.
bool is_special_token(std::string_view piece);

class Vocabulary {
 public:
  // Only the special tokens.
  Vocabulary();

  // Gives `piece` the next id. False, and nothing happens, if it is empty, special or there
  // already.
  bool add(std::string piece);

  // Specials included.
  int32_t size() const { return static_cast<int32_t>(pieces_.size()); }

  // kUnkId if there is no such piece. Special tokens are never found by name: text that happens to
  // contain `</s>` does not end a sentence.
  int32_t id(std::string_view piece) const;
  bool contains(std::string_view piece) const { return id(piece) != kUnkId; }

  // Throws Error if `id` is outside [0, size).
  const std::string& piece(int32_t id) const;

  // Every piece in the order of ids, specials included.
  std::span<const std::string> pieces() const { return pieces_; }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  std::vector<std::string> pieces_;
  std::unordered_map<std::string, int32_t, Hash, std::equal_to<>> ids_;
};

}  // namespace skein
