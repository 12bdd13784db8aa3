// Going on from a checkpoint: what must not have changed.
#pragma once

#include <filesystem>
#include <string>

#include "skein/base/error.h"
#include "skein/optim/named_numbers.h"
#include "skein/train/model_folder.h"
#include "skein/train/options.h"
#include "skein/train/training_data.h"

namespace skein {

// Bounds, logging, validation and checkpoints may change between two runs; anything else would make
// them two different trainings. Throws UsageError, naming every setting that differs and both
// values.
void require_same_settings(const TrainOptions& before, const TrainOptions& now,
                           const std::filesystem::path& checkpoint);

// Throws UsageError if a vocabulary of the data is not the checkpoint's to the byte. Requires the
// same names, as require_same_settings() does.
void require_same_vocabularies(const ModelFolder& checkpoint, const std::filesystem::path& data);

// By which a checkpoint knows the data of its training again: samples and checksum of each data
// set, in the order of their folders, which the cursor counts through.
NamedNumbers identity_of(const TrainingData& data);

// Throws UsageError, naming the first data set that differs, unless `data` is what `identity` was
// made of.
void require_same_data(const NamedNumbers& identity, const TrainingData& data,
                       const std::filesystem::path& checkpoint);

// What the user reads of a checkpoint in `training_folder` that is damaged (FormatError) or has
// lost a file (FileError): `error`, and which folder to remove so that training goes on, from
// where. `error` alone where it is about something else.
std::string with_way_on(const Error& error, const std::filesystem::path& training_folder);

}  // namespace skein
