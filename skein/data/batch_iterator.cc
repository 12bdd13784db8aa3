#include "skein/data/batch_iterator.h"

#include <fmt/format.h>

#include <algorithm>

#include "skein/base/error.h"

namespace skein {
BatchIterator::BatchIterator(const DataSet& data, const BatchOptions& options)
    : data_(data, options.blocks), options_(options), plan_(data_, options, 0) {}

bool BatchIterator::next(Batch& batch) {
  if (cursor_.batch >= plan_.batches()) {
    cursor_ = {.epoch = cursor_.epoch + 1};
    plan_ = BatchPlan(data_, options_, cursor_.epoch);
    return false;
  }
  const int64_t mine = cursor_.batch + options_.rank;
  fill(mine < plan_.batches() ? plan_.samples(mine) : std::span<const uint32_t>(), batch);
  const int64_t end = std::min(cursor_.batch + options_.world_size, plan_.batches());
  for (; cursor_.batch < end; ++cursor_.batch) {
    cursor_.samples += std::ssize(plan_.samples(cursor_.batch));
  }
  return true;
}

void BatchIterator::fill(std::span<const uint32_t> samples, Batch& batch) const {
  batch = Batch();
  for (PackedSequences* each : {&batch.source, &batch.target_input, &batch.target}) {
    each->offsets.push_back(0);
  }
  for (const uint32_t sample : samples) data_.append(sample, options_.eos, batch);
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
        data_.name(), cursor.samples, cursor.batch, cursor.epoch, samples));
  }
  cursor_ = cursor;
}

}  // namespace skein
