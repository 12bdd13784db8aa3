// What is in a file or folder of ours, for people.
#pragma once

#include <filesystem>
#include <string>

namespace skein {

// `path`: the output of a training, a checkpoint, a model, a .safetensors file; prepared data, or
// one .skd file of it; a vocabulary. Reads everything, so that the checksums' verdicts are true.
// Throws FileError if it is none of these, FormatError if it is damaged.
std::string inspect(const std::filesystem::path& path);

}  // namespace skein
