// What becomes of the values of all ranks.
#pragma once

namespace aggbox {

enum class Reduction { kSum, kMean, kMin, kMax, kAnd, kOr, kXor };

// How floats travel: as integers of so many bits, with an exponent for 352 of them (block_float.h).
// Fewer bits are less to send and a larger error.
enum class Lanes { kInt32, kInt16, kInt8 };

}  // namespace aggbox
