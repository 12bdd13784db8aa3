#include "skein/text/sentencepiece_tokenizer.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include <array>

#include "skein/base/error.h"

namespace skein {
namespace {

void require_ok(const sentencepiece::util::Status& status, const char* action) {
  if (!status.ok())
    throw Error(fmt::format("SentencePiece cannot {}: {}", action, status.error_message()));
}

}  // namespace

std::unique_ptr<Tokenizer> SentencePieceTokenizer::load(std::string_view content,
                                                        const std::string& origin) {
  return std::make_unique<SentencePieceTokenizer>(std::string(content), origin);
}

SentencePieceTokenizer::SentencePieceTokenizer(std::string content, const std::string& origin)
    : content_(std::move(content)),
      model_(SentencePieceModel::parse(content_, origin)),
      processor_(std::make_unique<sentencepiece::SentencePieceProcessor>()) {
  const sentencepiece::util::Status status = processor_->LoadFromSerializedProto(content_);
  if (!status.ok()) {
    throw FormatError(fmt::format("{}: the SentencePiece model is damaged ({}); restore the file",
                                  origin, status.error_message()));
  }
  number_pieces(origin);
}

SentencePieceTokenizer::~SentencePieceTokenizer() = default;

void SentencePieceTokenizer::number_pieces(const std::string& origin) {
  const size_t count = model_.pieces.size();
  ours_.assign(count, -1);
  theirs_.assign(kSpecialTokens, -1);
  const std::array<int, kSpecialTokens> specials = {processor_->bos_id(), processor_->pad_id(),
                                                    processor_->eos_id(), processor_->unk_id()};
  for (int32_t id = 0; id < kSpecialTokens; ++id) {
    const int their_id = specials[static_cast<size_t>(id)];
    if (their_id < 0) continue;
    theirs_[static_cast<size_t>(id)] = their_id;
    ours_[static_cast<size_t>(their_id)] = id;
  }
  std::vector<float> scores(kSpecialTokens, 0.0F);
  std::vector<bool> splittable(kSpecialTokens, false);
  for (size_t i = 0; i < count; ++i) {
    if (ours_[i] >= 0) continue;
    ours_[i] = vocabulary_.size();
    if (!vocabulary_.add(model_.pieces[i])) {
      throw FormatError(fmt::format(
          "{}: the piece '{}' is empty, a special token or there twice; restore the file", origin,
          model_.pieces[i]));
    }
    theirs_.push_back(static_cast<int32_t>(i));
    scores.push_back(model_.scores[i]);
    splittable.push_back(model_.kinds[i] == SentencePieceKind::kNormal);
  }
  sampler_ = std::make_unique<SplitSampler>(vocabulary_, std::move(scores), std::move(splittable));
}

std::vector<std::string> SentencePieceTokenizer::split(std::string_view text) const {
  std::vector<std::string> pieces;
  require_ok(processor_->Encode(text, &pieces), "split the line");
  return pieces;
}

void SentencePieceTokenizer::encode_normalized(std::string_view text,
                                               std::vector<int32_t>& ids) const {
  std::vector<int> theirs;
  require_ok(processor_->Encode(text, &theirs), "split the line");
  ids.reserve(ids.size() + theirs.size());
  for (const int id : theirs) ids.push_back(ours_[static_cast<size_t>(id)]);
}

// Runs of ordinary pieces are put together and split anew.
std::vector<int32_t> SentencePieceTokenizer::resample(std::span<const int32_t> ids, double alpha,
                                                      Random& random) const {
  std::vector<int32_t> sampled;
  std::string run;
  const auto split_run = [&] {
    if (model_.type == "bpe") {
      sampler_->sample_bpe(run, alpha, random, sampled);
    } else {
      sampler_->sample_unigram(run, alpha, random, sampled);
    }
    run.clear();
  };
  for (const int32_t id : ids) {
    if (sampler_->splittable(id)) {
      run += vocabulary_.piece(id);
      continue;
    }
    split_run();
    sampled.push_back(id);
  }
  split_run();
  return sampled;
}

// SentencePiece marks where a space was; a mark alone is between words.
std::vector<int32_t> SentencePieceTokenizer::word_numbers(
    std::span<const std::string> pieces) const {
  constexpr std::string_view kSpace = "\u2581";
  std::vector<int32_t> numbers;
  int32_t word = -1;
  bool inside = false;
  for (std::string_view piece : pieces) {
    if (piece.starts_with(kSpace)) {
      inside = false;
      piece.remove_prefix(kSpace.size());
    }
    if (!piece.empty() && !inside) ++word;
    inside = inside || !piece.empty();
    numbers.push_back(inside ? word : -1);
  }
  return numbers;
}

std::string SentencePieceTokenizer::decode(std::span<const int32_t> ids) const {
  std::vector<int> theirs;
  for (const int32_t id : ids) {
    vocabulary_.piece(id);  // refuses ids outside the vocabulary
    if (id >= kUnkId) theirs.push_back(theirs_[static_cast<size_t>(id)]);
  }
  std::string text;
  require_ok(processor_->Decode(theirs, &text), "join the pieces");
  return text;
}

}  // namespace skein
