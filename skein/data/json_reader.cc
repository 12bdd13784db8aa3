#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "skein/base/json_problem.h"
#include "skein/data/readers.h"
#include "skein/data/record.h"

namespace skein {
namespace {

using Json = nlohmann::json;

// The keys of the source and of the target, with dots into nested objects.
struct Keys {
  std::string source;
  std::string target;
};

std::vector<Keys> usual_keys(const CorpusOptions& options) {
  const std::string& source = options.source_language;
  const std::string& target = options.target_language;
  return {{"translation." + source, "translation." + target},
          {"source", "target"},
          {"src", "tgt"},
          {source, target}};
}

std::vector<Keys> wanted_keys(const CorpusOptions& options) {
  if (options.monolingual())
    return {{"", options.target_key.empty() ? "text" : options.target_key}};
  if (options.source_key.empty() != options.target_key.empty()) {
    throw UsageError(
        "JSON lines need the key of both sides; give --source-key and --target-key, or neither");
  }
  if (options.source_key.empty()) return usual_keys(options);
  return {{options.source_key, options.target_key}};
}

// Null if there is no such value.
const Json* find(const Json& object, std::string_view key) {
  const Json* value = &object;
  while (true) {
    const size_t dot = key.find('.');
    if (!value->is_object()) return nullptr;
    const auto found = value->find(std::string(key.substr(0, dot)));
    if (found == value->end()) return nullptr;
    value = &*found;
    if (dot == std::string_view::npos) return value;
    key.remove_prefix(dot + 1);
  }
}

class JsonReader : public PairReader {
 public:
  JsonReader(LineReader lines, const CorpusOptions& options)
      : lines_(std::move(lines)),
        monolingual_(options.monolingual()),
        keys_(wanted_keys(options)) {}

  bool next(Pair& pair) override {
    pair.source.clear();
    while (!monolingual_ || !next_waiting(pair.target)) {
      if (!lines_.next(line_)) return false;
      if (internal::is_blank(line_)) continue;
      const Json object = parse();
      const Keys& keys = choose_keys(object);
      if (monolingual_) {
        text_ = text_at(object, keys.target);
        position_ = 0;
        continue;
      }
      pair.source = internal::as_one_line(text_at(object, keys.source));
      pair.target = internal::as_one_line(text_at(object, keys.target));
      return true;
    }
    return true;
  }

  std::string where() const override { return lines_.where(); }

 private:
  [[noreturn]] void refuse(const std::string& fault) const {
    throw RecordError(fmt::format("{}: {}; repair the line or leave it out with --on-error skip",
                                  lines_.where(), fault));
  }

  Json parse() const {
    internal::require_utf8_record(line_, lines_.where());
    Json object;
    try {
      object = Json::parse(line_);
    } catch (const Json::exception& error) {
      refuse(fmt::format("not JSON ({:.150})", json_problem_in_line(error.what())));
    }
    if (!object.is_object()) refuse("not a JSON object");
    return object;
  }

  const Keys& choose_keys(const Json& object) const {
    for (const Keys& keys : keys_) {
      const bool has_source = monolingual_ || find(object, keys.source) != nullptr;
      if (has_source && find(object, keys.target) != nullptr) return keys;
    }
    std::string wanted;
    for (const Keys& keys : keys_) {
      wanted +=
          fmt::format("{}{}{}", wanted.empty() ? "" : ", or ",
                      monolingual_ ? "" : "'" + keys.source + "' and ", "'" + keys.target + "'");
    }
    refuse(fmt::format("no value under {}", wanted));
  }

  std::string text_at(const Json& object, const std::string& key) const {
    const Json& value = *find(object, key);
    if (!value.is_string()) refuse(fmt::format("the value of '{}' is not text", key));
    return value.get<std::string>();
  }

  // The next line of the text at hand that is not blank.
  bool next_waiting(std::string& line) {
    while (position_ < text_.size()) {
      const size_t end = std::min(text_.find('\n', position_), text_.size());
      line = internal::as_one_line(std::string_view(text_).substr(position_, end - position_));
      position_ = end + 1;
      if (!line.empty()) return true;
    }
    return false;
  }

  LineReader lines_;
  std::string line_;
  bool monolingual_;
  std::vector<Keys> keys_;
  std::string text_;
  size_t position_ = 0;
};

}  // namespace

std::unique_ptr<PairReader> read_json_lines(LineReader lines, const CorpusOptions& options) {
  return std::make_unique<JsonReader>(std::move(lines), options);
}

}  // namespace skein
