// The header of a safetensors file, from bytes that nobody vouches for.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "skein/base/error.h"
#include "skein/base/json_problem.h"
#include "skein/train/safetensors.h"
#include "skein/train/safetensors_header.h"

namespace skein {
namespace {

using Json = nlohmann::json;

// As in the format's own library; a header that describes a model is far smaller.
constexpr uint64_t kLargestHeader = 100'000'000;
// A tensor's extents and bytes stay far from overflow.
constexpr uint64_t kLargestExtent = uint64_t{1} << 40;

class Parser {
 public:
  Parser(std::span<const std::byte> file, const std::string& origin)
      : file_(file), origin_(origin) {}

  SafetensorsLayout parse() {
    const std::string_view header = header_text();
    const Json json = parsed(header);
    SafetensorsLayout layout;
    for (const auto& [name, value] : json.items()) {
      if (name == "__metadata__") {
        layout.metadata = metadata(value);
      } else {
        layout.entries.push_back(entry(name, value));
      }
    }
    require_contiguous(layout.entries);
    return layout;
  }

 private:
  [[noreturn]] void fail(const std::string& found) const {
    throw FormatError(fmt::format(
        "{}: {}; the file is damaged or no safetensors file, take another copy", origin_, found));
  }

  std::string_view header_text() {
    if (file_.size() < kSafetensorsLengthBytes) {
      fail(fmt::format("{} bytes are too few for a header", file_.size()));
    }
    uint64_t length = 0;
    std::memcpy(&length, file_.data(), kSafetensorsLengthBytes);
    const uint64_t most =
        std::min<uint64_t>(file_.size() - kSafetensorsLengthBytes, kLargestHeader);
    if (length > most) {
      fail(
          fmt::format("byte 0: a header of {} bytes, where at most {} are possible", length, most));
    }
    values_begin_ = kSafetensorsLengthBytes + static_cast<size_t>(length);
    return {reinterpret_cast<const char*>(file_.data()) + kSafetensorsLengthBytes,
            static_cast<size_t>(length)};
  }

  Json parsed(std::string_view header) const {
    std::set<std::string> names;
    const auto refuse_repetition = [&](int depth, Json::parse_event_t event, Json& value) {
      if (event == Json::parse_event_t::key && depth == 1 &&
          !names.insert(value.get<std::string>()).second) {
        fail(fmt::format("the name '{}' occurs twice", value.get<std::string>()));
      }
      return true;
    };
    try {
      Json json = Json::parse(header, refuse_repetition);
      if (json.is_object()) return json;
    } catch (const Json::parse_error& error) {
      fail(fmt::format("byte {}: the header is no valid JSON",
                       kSafetensorsLengthBytes + error.byte));
    } catch (const Json::exception& error) {
      // A number beyond all that can be computed with, for example.
      fail(fmt::format("the header is no valid JSON ({})", json_problem(error.what())));
    }
    fail("byte 8: the header is no JSON object");
  }

  Metadata metadata(const Json& value) const {
    Metadata result;
    if (!value.is_object()) fail("__metadata__ is no JSON object");
    for (const auto& [name, text] : value.items()) {
      if (!text.is_string()) fail(fmt::format("the metadata '{}' is no text", name));
      result[name] = text.get<std::string>();
    }
    return result;
  }

  SafetensorsEntry entry(const std::string& name, const Json& value) const {
    if (!value.is_object() || !value.contains("dtype") || !value["dtype"].is_string() ||
        !value.contains("shape") || !value.contains("data_offsets")) {
      fail(fmt::format("the tensor {} lacks dtype, shape or data_offsets", name));
    }
    SafetensorsEntry result;
    result.name = name;
    const auto type_name = value["dtype"].get<std::string>();
    const auto type = safetensors_type(type_name);
    if (!type) {
      throw FormatError(
          fmt::format("{}: the tensor {} is of type {}; expected F32, BF16, I32, I64, I8 or U8, so "
                      "convert it first",
                      origin_, name, type_name));
    }
    result.type = *type;
    result.shape = shape(name, numbers(name, value["shape"]));
    set_place(numbers(name, value["data_offsets"]), result);
    return result;
  }

  std::vector<uint64_t> numbers(const std::string& name, const Json& list) const {
    std::vector<uint64_t> result;
    if (!list.is_array()) fail(fmt::format("the tensor {} has no list of numbers", name));
    for (const Json& each : list) {
      if (!each.is_number_unsigned()) {
        fail(fmt::format("the tensor {} has {} for a count", name, each.dump()));
      }
      result.push_back(each.get<uint64_t>());
    }
    return result;
  }

  Shape shape(const std::string& name, const std::vector<uint64_t>& extents) const {
    if (extents.size() > static_cast<size_t>(Shape::kMaxRank)) {
      throw FormatError(fmt::format("{}: the tensor {} has {} extents; expected at most {}",
                                    origin_, name, extents.size(), Shape::kMaxRank));
    }
    std::vector<int64_t> result;
    uint64_t elements = 1;
    for (const uint64_t extent : extents) {
      if (extent > kLargestExtent) fail(fmt::format("the tensor {} is too large", name));
      elements *= std::max<uint64_t>(extent, 1);
      if (elements > kLargestExtent) fail(fmt::format("the tensor {} is too large", name));
      result.push_back(static_cast<int64_t>(extent));
    }
    return Shape(std::span<const int64_t>(result));
  }

  void set_place(const std::vector<uint64_t>& offsets, SafetensorsEntry& entry) const {
    const uint64_t values = file_.size() - values_begin_;
    if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > values) {
      fail(fmt::format("the tensor {} lies outside the {} bytes of values", entry.name, values));
    }
    const uint64_t expected = static_cast<uint64_t>(entry.shape.elements()) * size_of(entry.type);
    if (offsets[1] - offsets[0] != expected) {
      fail(fmt::format("the tensor {} of shape {} has {} bytes, where {} are expected", entry.name,
                       entry.shape.to_string(), offsets[1] - offsets[0], expected));
    }
    entry.begin = values_begin_ + static_cast<size_t>(offsets[0]);
    entry.end = values_begin_ + static_cast<size_t>(offsets[1]);
  }

  void require_contiguous(std::vector<SafetensorsEntry>& entries) const {
    std::sort(entries.begin(), entries.end(),
              [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
                return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
              });
    size_t position = values_begin_;
    for (const SafetensorsEntry& entry : entries) {
      if (entry.begin != position) {
        fail(fmt::format("byte {}: the tensor {} {} the one before", entry.begin, entry.name,
                         entry.begin < position ? "overlaps" : "leaves a gap after"));
      }
      position = entry.end;
    }
    if (position != file_.size()) {
      fail(fmt::format("byte {}: {} bytes belong to no tensor", position, file_.size() - position));
    }
  }

  std::span<const std::byte> file_;
  const std::string& origin_;
  size_t values_begin_ = 0;
};

}  // namespace

SafetensorsLayout read_safetensors_layout(std::span<const std::byte> file,
                                          const std::string& origin) {
  return Parser(file, origin).parse();
}

}  // namespace skein
