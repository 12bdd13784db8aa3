#include "skein/data/batch_iterator.h"

#include <fmt/format.h>

#include "skein/base/error.h"

namespace skein {

BatchIterator::BatchIterator(std::span<const DataSet> data, const BatchOptions& options,
                             const Resampler& resampler)
    : data_(data, options.blocks),
      options_(options),
      resampler_(resampler),
      plan_(data_, options, 0) {
  if (!resampler.active() || data_.sentences()) return;
  throw UsageError(
      "data.target_sampling splits sentences anew, and blocks of data.break_mode hold parts of "
      "them; leave out one of the two");
}

bool BatchIterator::next(Batch& batch) {
  if (cursor_.batch >= plan_.batches()) {
    cursor_ = {.epoch = cursor_.epoch + 1};
    plan_ = BatchPlan(data_, options_, cursor_.epoch);
    return false;
  }
  fill(cursor_.batch, batch);
  cursor_.samples += std::ssize(plan_.samples(cursor_.batch));
  ++cursor_.batch;
  return true;
}

// Splits depend on the seed and the batch's number only.
void BatchIterator::fill(int64_t index, Batch& batch) const {
  batch = Batch();
  for (PackedSequences* each : {&batch.source, &batch.target_input, &batch.target}) {
    each->offsets.push_back(0);
  }
  Random random(~options_.seed,
                static_cast<uint64_t>(cursor_.epoch) << 32 | static_cast<uint64_t>(index));
  for (const uint32_t sample : plan_.samples(index)) {
    if (resampler_.active()) {
      data_.append_resampled(sample, options_.eos, resampler_, random, batch);
    } else {
      data_.append(sample, options_.eos, batch);
    }
  }
}

void BatchIterator::seek(const Cursor& cursor) {
  if (cursor.epoch != cursor_.epoch) plan_ = BatchPlan(data_, options_, cursor.epoch);
  int64_t samples = 0;
  const bool reachable = cursor.epoch >= 0 && cursor.batch >= 0 && cursor.batch <= plan_.batches();
  for (int64_t i = 0; reachable && i < cursor.batch; ++i) samples += std::ssize(plan_.samples(i));
  if (!reachable || samples != cursor.samples) {
    plan_ = BatchPlan(data_, options_, cursor_.epoch);
    throw UsageError(fmt::format(
        "{}: {} samples in {} batches of epoch {} were done, but this data cut into batches by "
        "these "
        "options has {} samples there; resume with the data, seed and batch size of the first run",
        data_.name(0), cursor.samples, cursor.batch, cursor.epoch, samples));
  }
  cursor_ = cursor;
}

}  // namespace skein
