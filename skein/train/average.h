// The mean of several models' parameters, which usually translates better than any of them.
// Junczys-Dowmunt et al. 2016, section 3.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace skein {

// Checkpoints of a training's output, newest first. Throws UsageError if it has fewer.
std::vector<std::filesystem::path> last_checkpoints(const std::filesystem::path& training_folder,
                                                    size_t count);
// By score, best first; those without one, or of another metric than the newest one's, do not
// count. Throws UsageError if there are fewer.
std::vector<std::filesystem::path> best_checkpoints(const std::filesystem::path& training_folder,
                                                    size_t count);

// Writes a model folder: the mean, summed in float64, of the models in `inputs` (folders that
// ModelFolder takes), with settings and vocabularies of the first. Throws FormatError if they have
// other parameters or vocabularies, UsageError if `output` is there and is no model or is one of
// the inputs.
void average_models(std::span<const std::filesystem::path> inputs,
                    const std::filesystem::path& output);

}  // namespace skein
