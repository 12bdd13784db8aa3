// Which token of the source each token of a translation was made from, by the attention of the
// models that translated it.
#pragma once

#include <cstdint>
#include <vector>

#include "skein/data/batch.h"
#include "skein/models/model.h"

namespace skein {

class Aligner {
 public:
  // The models must outlive this object; of several, attention is averaged. Throws UsageError if
  // one has no attention to its source.
  explicit Aligner(std::vector<const Model*> models);

  // For each sentence of the batch and each target token, eos included, the source token with the
  // most attention, the end of the source left out (the first of equal ones; -1 if the source is
  // but its end).
  std::vector<std::vector<int32_t>> align(const Batch& batch) const;

 private:
  std::vector<const Model*> models_;
};

}  // namespace skein
