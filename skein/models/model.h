// What training and decoding see of an architecture. A model is written once, as layers; `features`
// runs them over whole packed sentences, `start` and `step` run the same layers token by token.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "skein/autograd/tape.h"
#include "skein/data/batch.h"
#include "skein/models/output_projection.h"
#include "skein/nn/parameter_store.h"

namespace skein {

// What a decoder remembers of its hypotheses, one row each.
class DecodeState {
 public:
  virtual ~DecodeState() = default;
  virtual int64_t rows() const = 0;
  // Row i becomes what row rows[i] was; rows may repeat or vanish. Throws ShapeError for a row that
  // is not there.
  virtual void select(std::span<const int32_t> rows) = 0;
};

class Model {
 public:
  virtual ~Model() = default;

  ParameterStore& parameters() { return parameters_; }
  const ParameterStore& parameters() const { return parameters_; }

  // True for a model that has a source side (translation); false for a language model.
  virtual bool has_source() const = 0;
  // The longest sentence, end symbol included.
  virtual int64_t max_source_length() const = 0;
  virtual int64_t max_target_length() const = 0;

  // Words of the target vocabulary.
  virtual int64_t vocabulary() const = 0;

  // [target tokens, width]: what the output projection turns into logits. Throws ShapeError for a
  // sentence beyond the longest.
  virtual Variable features(Tape& tape, const Batch& batch) const = 0;
  // The tape records what the weights are made of, where they are no parameters themselves.
  virtual OutputProjection output(Tape& tape) const = 0;

  // A state with one row a sentence, in order, before its first token. `sentences` counts the rows
  // of a language model, whose `source` is empty.
  virtual std::unique_ptr<DecodeState> start(const PackedSequences& source,
                                             int64_t sentences) const = 0;
  // previous [rows]: each row's last token (the end symbol at first). Returns logits [rows,
  // vocabulary] f32 and moves the state one token on. A row's logits depend on that row's own past
  // only.
  virtual Tensor step(DecodeState& state, std::span<const int32_t> previous) const = 0;
  // tokens [rows, count], one row after another: the state moves on as by `count` calls of step()
  // with one column each. With frozen parameters it is the same to the bit.
  void read(DecodeState& state, std::span<const int32_t> tokens, int64_t count) const;
  // read() of a number of tokens that is small enough for memory. Calls step() by default; models
  // that can read all tokens at once do.
  virtual void read_part(DecodeState& state, std::span<const int32_t> tokens, int64_t count) const;

  // Whether alignment() is there.
  virtual bool has_alignment() const { return false; }
  // Attention from target to source: for every sentence a block [target tokens, source tokens] f32,
  // the mean over layers or heads that attend. Reads `source` and `target_input`. Throws Error
  // where it is not there.
  virtual Tensor alignment(const Batch& batch) const;

  // Floating-point operations of forward and backward for `source` and `target` tokens: 6 a weight
  // and token, and attention.
  virtual double training_flops(const Batch& batch) const = 0;

  // The type of products and activations outside training.
  void set_inference_type(DType type) { inference_type_ = type; }
  DType inference_type() const { return inference_type_; }

 protected:
  Tape inference_tape() const;

  ParameterStore parameters_;

 private:
  DType inference_type_ = DType::kF32;
};

// Calls read(part [rows, n], n) for at most `most` columns after another of tokens [rows, count].
void read_in_parts(std::span<const int32_t> tokens, int64_t count, int64_t most,
                   const std::function<void(std::span<const int32_t>, int64_t)>& read);

// Throws ShapeError, naming `side` and sentence, for one of more than `longest` tokens.
void require_lengths(const PackedSequences& sentences, const char* side, int64_t longest);
// Throws ShapeError for a row that is not below `rows`.
void require_rows(std::span<const int32_t> chosen, int64_t rows);
// Throws ShapeError unless there are `count` tokens for every row, and room for them after `past`
// tokens.
void require_tokens(const DecodeState& state, std::span<const int32_t> tokens, int64_t count,
                    int64_t past, int64_t longest);

}  // namespace skein
