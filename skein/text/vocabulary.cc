#include "skein/text/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "skein/base/error.h"

namespace skein {
namespace {

constexpr std::array<std::string_view, kSpecialTokens> kSpecials = {"<s>", "<pad>", "</s>",
                                                                    "<unk>"};

}  // namespace

bool is_special_token(std::string_view piece) {
  return std::find(kSpecials.begin(), kSpecials.end(), piece) != kSpecials.end();
}

Vocabulary::Vocabulary() : pieces_(kSpecials.begin(), kSpecials.end()) {}

bool Vocabulary::add(std::string piece) {
  if (piece.empty() || is_special_token(piece)) return false;
  if (!ids_.emplace(piece, size()).second) return false;
  pieces_.push_back(std::move(piece));
  return true;
}

int32_t Vocabulary::id(std::string_view piece) const {
  const auto found = ids_.find(piece);
  return found == ids_.end() ? kUnkId : found->second;
}

const std::string& Vocabulary::piece(int32_t id) const {
  if (id < 0 || id >= size()) {
    throw Error(
        fmt::format("piece {} is outside the vocabulary of {} pieces; do model and vocabulary "
                    "belong together?",
                    id, size()));
  }
  return pieces_[static_cast<size_t>(id)];
}

}  // namespace skein
