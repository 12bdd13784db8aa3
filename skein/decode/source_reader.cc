#include "skein/decode/source_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "skein/base/error.h"
#include "skein/base/json_problem.h"
#include "skein/base/nearest.h"

namespace skein {
namespace {

std::vector<std::string> split_at_tabs(std::string_view line) {
  std::vector<std::string> parts;
  while (!line.empty()) {
    const size_t end = std::min(line.find('\t'), line.size());
    if (end > 0) parts.emplace_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return parts;
}

class TextSource final : public SourceReader {
 public:
  TextSource(LineReader lines, SourceCompanions companions)
      : lines_(std::move(lines)), companions_(std::move(companions)) {}

  bool next(SourceLine& line) override {
    line = SourceLine{};
    const bool found = lines_.next(line.source);
    line.number = lines_.line_number();
    read_companion(companions_.prefixes, found, line.prefix);
    std::string constraints;
    read_companion(companions_.constraints, found, constraints);
    line.constraints = split_at_tabs(constraints);
    return found;
  }

  bool ready() override { return lines_.ready(); }
  const std::string& name(LinePart part) const override {
    if (part == LinePart::kPrefix && companions_.prefixes) return companions_.prefixes->name();
    if (part == LinePart::kConstraints && companions_.constraints) {
      return companions_.constraints->name();
    }
    return lines_.name();
  }

 private:
  void read_companion(std::optional<LineReader>& reader, bool expected, std::string& text) const {
    if (!reader || reader->next(text) == expected) return;
    throw FormatError(fmt::format("{} has {} lines than {}; line by line they must belong together",
                                  reader->name(), expected ? "fewer" : "more", lines_.name()));
  }

  LineReader lines_;
  SourceCompanions companions_;
};

class JsonSource final : public SourceReader {
 public:
  explicit JsonSource(LineReader lines) : lines_(std::move(lines)) {}

  bool next(SourceLine& line) override {
    line = SourceLine{};
    std::string text;
    if (!lines_.next(text)) return false;
    line.number = lines_.line_number();
    try {
      read(text, line);
    } catch (const Error& reason) {
      line.error = reason.what();
    }
    return true;
  }

  bool ready() override { return lines_.ready(); }
  const std::string& name(LinePart /*part*/) const override { return lines_.name(); }

 private:
  static void read(const std::string& text, SourceLine& line) {
    const nlohmann::json object = parse(text);
    if (!object.is_object()) throw FormatError("the line is no JSON object");
    for (const auto& [key, value] : object.items()) {
      constexpr std::array<std::string_view, 3> kKeys = {"source", "prefix", "constraints"};
      require_name("key", key, kKeys);
      if (key == "constraints") {
        if (!value.is_array()) throw FormatError("the value of 'constraints' is no array of texts");
        for (const nlohmann::json& each : value) line.constraints.push_back(text_of(key, each));
      } else {
        (key == "source" ? line.source : line.prefix) = text_of(key, value);
      }
    }
    if (!object.contains("source")) {
      throw FormatError("the line has no key 'source', the text to translate");
    }
  }

  static nlohmann::json parse(const std::string& text) {
    try {
      return nlohmann::json::parse(text);
    } catch (const nlohmann::json::exception& error) {
      throw FormatError(
          fmt::format("the line is no JSON ({:.150})", json_problem_in_line(error.what())));
    }
  }

  static std::string text_of(const std::string& key, const nlohmann::json& value) {
    if (!value.is_string()) {
      throw FormatError(
          fmt::format("the value of '{}' is a {}; expected text", key, value.type_name()));
    }
    return value.get<std::string>();
  }

  LineReader lines_;
};

}  // namespace

std::unique_ptr<SourceReader> text_source(LineReader lines, SourceCompanions companions) {
  return std::make_unique<TextSource>(std::move(lines), std::move(companions));
}

std::unique_ptr<SourceReader> json_source(LineReader lines) {
  return std::make_unique<JsonSource>(std::move(lines));
}

}  // namespace skein
