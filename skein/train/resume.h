// Going on from a checkpoint: what must not have changed, and small state as numbers.
#pragma once

#include <filesystem>

#include "skein/data/batch_iterator.h"
#include "skein/optim/named_numbers.h"
#include "skein/train/options.h"

namespace skein {

// Bounds, logging, validation and checkpoints may change between two runs; anything else would make
// them two different trainings. Throws UsageError, naming every setting that differs and both
// values.
void require_same_settings(const TrainOptions& before, const TrainOptions& now,
                           const std::filesystem::path& checkpoint);

NamedNumbers to_numbers(const Cursor& cursor);
// Throws FormatError if a number is missing.
Cursor cursor_from(const NamedNumbers& numbers);

}  // namespace skein
