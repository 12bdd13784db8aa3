#include "skein/train/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "skein/base/error.h"
#include "skein/base/nearest.h"
#include "skein/train/safetensors_header.h"

namespace skein {
namespace {

[[noreturn]] void fail_missing(const SafetensorsFile& file, std::string_view name,
                               std::string_view what) {
  std::vector<std::string> names;
  for (const SafetensorsEntry& entry : file.entries()) names.push_back(entry.name);
  const std::string nearest = nearest_name(name, names);
  throw FormatError(
      fmt::format("{}: the {} lack {}{}; the file belongs to another model or other settings",
                  file.path().string(), what, name,
                  nearest.empty() ? "" : " (the nearest is " + nearest + ")"));
}

void load_tensor(const SafetensorsFile& file, const NamedTensor& target, std::string_view what) {
  const SafetensorsEntry* entry = file.find(target.name);
  if (entry == nullptr) fail_missing(file, target.name, what);
  if (entry->type != target.values.type() || !(entry->shape == target.values.shape())) {
    throw FormatError(fmt::format(
        "{}: {} is {} of shape {}, where the model has {} of shape {}; the file belongs to another "
        "model or other settings",
        file.path().string(), target.name, name_of(entry->type), entry->shape.to_string(),
        name_of(target.values.type()), target.values.shape().to_string()));
  }
  Tensor values = target.values;
  const auto bytes = file.bytes(*entry);
  if (!bytes.empty()) std::memcpy(values.raw(), bytes.data(), bytes.size());
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path)
    : path_(path), file_(path), layout_(read_safetensors_layout(file_.bytes(), path.string())) {}

const SafetensorsEntry* SafetensorsFile::find(std::string_view name) const {
  for (const SafetensorsEntry& entry : layout_.entries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

std::span<const std::byte> SafetensorsFile::bytes(const SafetensorsEntry& entry) const {
  return file_.bytes().subspan(entry.begin, entry.end - entry.begin);
}

Tensor SafetensorsFile::read(std::string_view name) const {
  const SafetensorsEntry* entry = find(name);
  if (entry == nullptr) fail_missing(*this, name, "tensors");
  Tensor tensor = Tensor::uninitialized(entry->shape, entry->type);
  if (tensor.bytes() > 0) std::memcpy(tensor.raw(), bytes(*entry).data(), tensor.bytes());
  return tensor;
}

ChecksumVerdict SafetensorsFile::checksum() const {
  const size_t values_begin =
      layout_.entries.empty() ? file_.bytes().size() : layout_.entries.front().begin;
  const auto length_and_header = file_.bytes().first(values_begin);
  const auto header = length_and_header.subspan(kSafetensorsLengthBytes);
  const std::string_view text(reinterpret_cast<const char*>(header.data()), header.size());
  const size_t place = checksum_place(text);
  if (place == std::string_view::npos) return ChecksumVerdict::kNone;
  const uint32_t sum =
      safetensors_checksum(length_and_header, file_.bytes().subspan(values_begin), place);
  return fmt::format("{:08x}", sum) == text.substr(place, kChecksumDigits)
             ? ChecksumVerdict::kRight
             : ChecksumVerdict::kWrong;
}

void SafetensorsFile::require_right_checksum() const {
  if (checksum() != ChecksumVerdict::kWrong) return;
  throw FormatError(fmt::format(
      "{}: the content does not match its checksum, so it was altered after it was written; use "
      "another copy or an older checkpoint",
      path_.string()));
}

void load_tensors(const SafetensorsFile& file, std::span<const NamedTensor> targets,
                  std::string_view what) {
  file.require_right_checksum();
  for (const NamedTensor& target : targets) load_tensor(file, target, what);
  if (file.entries().size() == targets.size()) return;
  for (const SafetensorsEntry& entry : file.entries()) {
    const bool known = std::any_of(targets.begin(), targets.end(), [&](const NamedTensor& target) {
      return target.name == entry.name;
    });
    if (known) continue;
    throw FormatError(fmt::format(
        "{}: the model has no {} for the {}; the file belongs to another model or other settings",
        file.path().string(), entry.name, what));
  }
}

}  // namespace skein
