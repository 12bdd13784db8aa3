// The batches of an endless sequence of epochs, the same on every rank, with a place that can be
// saved.
#pragma once

#include <cstdint>
#include <span>

#include "skein/data/batch.h"
#include "skein/data/batch_plan.h"
#include "skein/data/data_set.h"
#include "skein/data/resampler.h"

namespace skein {

// How far a training has come, all of its ranks together.
struct Cursor {
  int64_t epoch = 0;    // from 0
  int64_t batch = 0;    // batches of the epoch that are done
  int64_t samples = 0;  // samples in them

  bool operator==(const Cursor&) const = default;
};

class BatchIterator {
 public:
  // `data` must outlive the iterator. Throws UsageError as Samples and BatchPlan do, and for
  // resampled blocks.
  BatchIterator(const DataSet& data, const BatchOptions& options)
      : BatchIterator(std::span(&data, 1), options) {}
  BatchIterator(std::span<const DataSet> data, const BatchOptions& options,
                const Resampler& resampler = {});

  // False once at the end of an epoch, after which the next one begins.
  bool next(Batch& batch);

  // Batches of the current epoch.
  int64_t batch_count() const { return plan_.batches(); }
  Cursor cursor() const { return cursor_; }
  // What next() gives from here on is what it gave behind that cursor. Throws UsageError if the
  // data or the options are not those that the cursor comes from.
  void seek(const Cursor& cursor);

 private:
  void fill(int64_t index, Batch& batch) const;

  Samples data_;
  BatchOptions options_;
  Resampler resampler_;
  BatchPlan plan_;
  Cursor cursor_;
};

}  // namespace skein
