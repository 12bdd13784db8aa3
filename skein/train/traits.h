// What all ranks of a training must have alike.
#pragma once

#include <vector>

#include "skein/comm/agreement.h"
#include "skein/train/options.h"
#include "skein/train/training_data.h"

namespace skein {

// The program, every setting, what "auto" means on this processor, and the data.
std::vector<Trait> traits_of(const TrainOptions& options, const TrainingData& data);

}  // namespace skein
