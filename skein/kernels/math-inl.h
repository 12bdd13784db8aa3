// exp, sigmoid and the normal distribution of vectors, to about 2e-7 relative.
#if defined(SKEIN_KERNELS_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SKEIN_KERNELS_MATH_INL_H_
#undef SKEIN_KERNELS_MATH_INL_H_
#else
#define SKEIN_KERNELS_MATH_INL_H_
#endif

#include <hwy/highway.h>

#include "skein/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skein::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// For x <= 88. Below -86.5 the result stays at 2.7e-38; NaN gives NaN. Reduction to [-ln2/2, ln2/2]
// and the polynomial of Cephes' expf (Moshier 1989).
HWY_INLINE FV exp(FV x) {
  x = at_least(-86.5f, x);
  const auto magic = set(12582912.0f);  // 1.5 * 2^23: its last bits hold the rounded integer
  const auto shifted = hn::MulAdd(x, set(1.44269504f), magic);
  const auto n = hn::Sub(shifted, magic);
  auto r = hn::NegMulAdd(n, set(0.693359375f), x);
  r = hn::NegMulAdd(n, set(-2.12194440e-4f), r);
  auto p = set(1.9875691500e-4f);
  p = hn::MulAdd(p, r, set(1.3981999507e-3f));
  p = hn::MulAdd(p, r, set(8.3334519073e-3f));
  p = hn::MulAdd(p, r, set(4.1665795894e-2f));
  p = hn::MulAdd(p, r, set(1.6666665459e-1f));
  p = hn::MulAdd(p, r, set(5.0000001201e-1f));
  p = hn::Add(hn::MulAdd(p, hn::Mul(r, r), r), set(1.0f));
  const I i;
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(i, shifted));
  return hn::BitCast(F(), hn::Add(hn::BitCast(i, p), exponent));
}

// 1 / (1 + e^-x)
HWY_INLINE FV sigmoid(FV x) {
  const auto e = exp(hn::Neg(hn::Abs(x)));
  const auto s = hn::Div(set(1.0f), hn::Add(set(1.0f), e));
  return hn::IfThenElse(hn::Lt(x, zero()), hn::Mul(e, s), s);
}

// Φ(x), with the Chebyshev fit of erfc in Press et al., Numerical Recipes (2nd edition), 6.2.
HWY_INLINE FV normal_cdf(FV x) {
  const auto z = hn::Mul(hn::Abs(x), set(0.70710678f));
  const auto t = hn::Div(set(1.0f), hn::MulAdd(z, set(0.5f), set(1.0f)));
  auto p = set(0.17087277f);
  p = hn::MulAdd(p, t, set(-0.82215223f));
  p = hn::MulAdd(p, t, set(1.48851587f));
  p = hn::MulAdd(p, t, set(-1.13520398f));
  p = hn::MulAdd(p, t, set(0.27886807f));
  p = hn::MulAdd(p, t, set(-0.18628806f));
  p = hn::MulAdd(p, t, set(0.09678418f));
  p = hn::MulAdd(p, t, set(0.37409196f));
  p = hn::MulAdd(p, t, set(1.00002368f));
  p = hn::MulAdd(p, t, set(-1.26551223f));
  const auto tail = hn::Mul(hn::Mul(set(0.5f), t), exp(hn::NegMulAdd(z, z, p)));
  return hn::IfThenElse(hn::Lt(x, zero()), tail, hn::Sub(set(1.0f), tail));
}
HWY_INLINE FV normal_density(FV x) {
  return hn::Mul(set(0.39894228f), exp(hn::Mul(set(-0.5f), hn::Mul(x, x))));
}

}  // namespace HWY_NAMESPACE
}  // namespace skein::kernels
HWY_AFTER_NAMESPACE();

#endif
