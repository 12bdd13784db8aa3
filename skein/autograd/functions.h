// Differentiable functions of packed batches. Activations are [tokens, features] in the tape's
// type; parameters are f32 (products use their bf16 copy when the tape's type is bf16). Every
// function throws ShapeError where extents do not fit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "skein/autograd/tape.h"
#include "skein/autograd/variable.h"
#include "skein/kernels/activation.h"

namespace skein {

// out [n, v] (f32 or bf16) = x [n, c] · weightᵀ [c, v], for a frozen weight by its packed form:
// then row i of the result depends on row i of x alone, to the bit.
void multiply_by_weight(const Tensor& x, const Variable& weight, Tensor& out,
                        const Tensor* bias = nullptr,
                        kernels::Activation activation = kernels::Activation::kNone);

// x [n, in] · weightᵀ [in, out] + bias [out], then the activation. `bias` may be undefined.
Variable linear(Tape& tape, const Variable& x, const Variable& weight, const Variable& bias,
                kernels::Activation activation = kernels::Activation::kNone);

Variable activation(Tape& tape, kernels::Activation kind, const Variable& x);

// x [n, 2c]: values and gates. Returns [n, c].
Variable glu(Tape& tape, kernels::Gate gate, const Variable& x);

Variable dropout(Tape& tape, double probability, const Variable& x);

Variable add(Tape& tape, const Variable& a, const Variable& b);

// (x - mean) / sqrt(variance + epsilon) * gain + bias over the last dimension. Ba et al. 2016.
struct NormParameters {
  Variable gain;  // [c]
  Variable bias;  // [c]
  float epsilon = 1e-5f;
};
Variable layer_norm(Tape& tape, const Variable& x, const NormParameters& norm);

// sum = residual + dropout(x); normalized = layer_norm(sum). Fused.
struct ResidualNorm {
  Variable sum;
  Variable normalized;
};
ResidualNorm residual_norm(Tape& tape, const Variable& x, const Variable& residual, double dropout,
                           const NormParameters& norm);

// dropout(scale * table[ids] + positions[position_rows]) [n, c]. `positions`: a parameter, or a
// constant Variable, or undefined.
struct EmbeddingInputs {
  std::span<const int32_t> ids;
  std::span<const int32_t> position_rows;
  Variable table;
  Variable positions;
  double scale = 1;
  double dropout = 0;
};
Variable embed(Tape& tape, const EmbeddingInputs& inputs);

// Multi-head attention over packed sentences; see kernels/attention.h.
struct AttentionOptions {
  int64_t heads = 1;
  bool causal = false;
  double dropout = 0;  // of the probabilities
  double scale = 0;    // of the scores; 0: (width / heads)^-0.5
};
// qkv [n, 3c]: queries, keys and values of the same tokens.
Variable self_attention(Tape& tape, const Variable& qkv, std::span<const int32_t> offsets,
                        const AttentionOptions& options);
// queries [q, c]; kv [k, 2c]: keys and values.
Variable cross_attention(Tape& tape, const Variable& queries, const Variable& kv,
                         std::span<const int32_t> query_offsets,
                         std::span<const int32_t> key_offsets, const AttentionOptions& options);

}  // namespace skein
