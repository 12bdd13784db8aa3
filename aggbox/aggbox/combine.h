// What the kernel does to the words of a chunk (bpf/slot.h), in user space.
#pragma once

#include <cstdint>
#include <span>

#include "aggbox/bpf/wire.h"

namespace aggbox {

// sum[i] becomes what `operation` makes of it and words[i]; both are as long.
void combine(aggbox_operation operation, std::span<std::uint64_t> sum,
             std::span<const std::uint64_t> words);

}  // namespace aggbox
