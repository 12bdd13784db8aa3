#include "skein/train/traits.h"

#include <fmt/format.h>

#include "skein/base/checksum.h"

namespace skein {
namespace {

std::string text_of(const DataSet& data) {
  return fmt::format("{} samples with checksum {:08x}", data.size(), data.checksum());
}

}  // namespace

std::vector<Trait> traits_of(const TrainOptions& options, const TrainingData& data) {
  std::vector<Trait> traits = program_traits();
  traits.push_back({"the precision that train.precision chooses",
                    std::string(name_of(activation_type(options.loop.precision)))});
  // Another model has other settings; then its name says it all.
  traits.push_back({"model.name", options.model_name});
  for (const auto& setting : options.settings().describe()) {
    if (setting.name != "model.name") traits.push_back({setting.name, setting.value});
  }
  for (const std::filesystem::path& file : data.vocabularies()) {
    traits.push_back(
        {fmt::format("the checksum of {}", file.filename().string()), file_crc32_text(file)});
  }
  for (size_t i = 0; i < data.train().size(); ++i) {
    traits.push_back({fmt::format("train of --data folder {}", i + 1), text_of(data.train()[i])});
  }
  traits.push_back({"valid", text_of(data.valid())});
  return traits;
}

}  // namespace skein
