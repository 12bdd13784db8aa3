// Which sentences of an update a rank computes.
#pragma once

#include <span>
#include <vector>

#include "skein/data/batch.h"

namespace skein {

// The batches of an update, as one process would compute them, are cut into `size` runs of
// sentences with about the same number of tokens; this gives the run of `rank`, in batches that are
// parts of those. Empty where there are more ranks than sentences. All ranks' together are all
// sentences, each once.
std::vector<Batch> share_of(std::span<const Batch> batches, int rank, int size);

}  // namespace skein
