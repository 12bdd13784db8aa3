// Reads a folder of shared/fixtures: data.safetensors (F32 and I64 only) and meta.json.
#pragma once

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "shared_data.h"
#include "skein/base/files.h"

namespace skein {

class Fixture {
 public:
  explicit Fixture(std::string_view name)
      : meta(nlohmann::json::parse(
            read_file(shared_path("fixtures") / std::string(name) / "meta.json"))),
        data_(read_file(shared_path("fixtures") / std::string(name) / "data.safetensors")) {
    uint64_t length = 0;
    std::memcpy(&length, data_.data(), sizeof(length));
    header_ = nlohmann::json::parse(data_.substr(sizeof(length), length));
    payload_ = sizeof(length) + length;
  }

  bool contains(const std::string& name) const { return header_.contains(name); }
  std::vector<int64_t> shape(const std::string& name) const {
    return header_.at(name).at("shape").get<std::vector<int64_t>>();
  }
  std::vector<float> floats(const std::string& name) const { return values<float>(name, "F32"); }
  std::vector<int64_t> integers(const std::string& name) const {
    return values<int64_t>(name, "I64");
  }

  const nlohmann::json meta;

 private:
  template <typename T>
  std::vector<T> values(const std::string& name, const std::string& type) const {
    const nlohmann::json& entry = header_.at(name);
    if (entry.at("dtype") != type) throw std::runtime_error(name + " is not of type " + type);
    const auto begin = entry.at("data_offsets").at(0).get<size_t>();
    const auto end = entry.at("data_offsets").at(1).get<size_t>();
    std::vector<T> result((end - begin) / sizeof(T));
    std::memcpy(result.data(), data_.data() + payload_ + begin, end - begin);
    return result;
  }

  std::string data_;
  nlohmann::json header_;
  size_t payload_ = 0;
};

}  // namespace skein
