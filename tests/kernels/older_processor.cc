// A test program as an older processor runs it: SKEIN_TEST_SIMD=avx2 leaves AVX-512 out, `baseline`
// all that the compiler does not take for granted; `avx512bf16` leaves nothing out, since only
// oneDNN (ONEDNN_MAX_CPU_ISA) and what asks it know AMX.
#include <hwy/highway.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

// The better a target, the lower its bit.
bool limit_simd() {
  const char* limit = std::getenv("SKEIN_TEST_SIMD");
  if (limit == nullptr) return false;
  if (std::string_view(limit) == "avx2") {
    hwy::DisableTargets(HWY_AVX2 - 1);
  } else if (std::string_view(limit) == "baseline") {
    hwy::DisableTargets(HWY_STATIC_TARGET - 1);
  } else if (std::string_view(limit) != "avx512bf16") {
    std::fprintf(stderr, "SKEIN_TEST_SIMD=%s; expected avx512bf16, avx2 or baseline\n", limit);
    std::abort();
  }
  return true;
}

[[maybe_unused]] const bool limited = limit_simd();

}  // namespace
