#include "skein/base/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <sstream>

#include "skein/base/error.h"
#include "skein/base/files.h"
#include "skein/base/nearest.h"

namespace skein {
namespace {

void check_range(const std::string& name, double value, const Range& range) {
  if (value >= range.minimum && value <= range.maximum) return;
  throw UsageError(fmt::format("{} = {} is out of range; expected a value from {} to {}", name,
                               value, range.minimum, range.maximum));
}

// No choices: any text.
void require_choice(const std::string& name, std::string_view text,
                    const std::vector<std::string>& choices) {
  if (choices.empty() || std::find(choices.begin(), choices.end(), text) != choices.end()) return;
  const std::string nearest = nearest_name(text, choices);
  throw UsageError(fmt::format("{} = '{}': {}expected {}{}", name, text,
                               nearest.empty() ? "" : fmt::format("did you mean '{}'? ", nearest),
                               choices.size() > 1 ? "one of " : "", fmt::join(choices, ", ")));
}

template <typename Number>
Number parse_number(const std::string& name, std::string_view text, const char* kind) {
  Number value{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  bool good = result.ec == std::errc() && result.ptr == text.data() + text.size();
  if constexpr (std::is_floating_point_v<Number>) good = good && std::isfinite(value);
  if (!good) throw UsageError(fmt::format("{} = '{}': expected {}", name, text, kind));
  return value;
}

std::vector<std::string_view> split_list(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    std::string_view part = text.substr(0, comma);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    parts.push_back(part);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

std::string toml_text(const std::string& text) {
  std::ostringstream stream;
  stream << toml::value<std::string>(text);
  return stream.str();
}

// TOML writes 1.0 for the float 1.
std::string float_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

// The text that Settings::set takes for a TOML value.
std::string node_text(const toml::node& node, const std::string& name) {
  if (const auto* value = node.as_string()) return value->get();
  if (const auto* value = node.as_integer()) return std::to_string(value->get());
  if (const auto* value = node.as_floating_point()) return fmt::format("{}", value->get());
  if (const auto* value = node.as_boolean()) return value->get() ? "true" : "false";
  if (const auto* list = node.as_array()) {
    std::vector<std::string> parts;
    for (const toml::node& element : *list) parts.push_back(node_text(element, name));
    return fmt::format("{}", fmt::join(parts, ","));
  }
  throw UsageError(fmt::format("{}: expected a number, a text, true or false, or a list", name));
}

void apply_table(Settings& settings, const toml::table& table, const std::string& prefix) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (const auto* inner = node.as_table()) {
      apply_table(settings, *inner, name + ".");
    } else {
      settings.set(name, node_text(node, name));
    }
  }
}

toml::table parse(std::string_view text, const std::string& origin) {
  try {
    return toml::parse(text, origin);
  } catch (const toml::parse_error& error) {
    throw FormatError(fmt::format("{}:{}: not valid TOML: {}", origin, error.source().begin.line,
                                  error.description()));
  }
}

}  // namespace

void Settings::add(std::string name, int64_t* variable, std::string help, Range range) {
  insert({std::move(name), variable, std::move(help), range, {}});
}
void Settings::add(std::string name, double* variable, std::string help, Range range) {
  insert({std::move(name), variable, std::move(help), range, {}});
}
void Settings::add(std::string name, bool* variable, std::string help) {
  insert({std::move(name), variable, std::move(help), {}, {}});
}
void Settings::add(std::string name, std::string* variable, std::string help,
                   std::vector<std::string> choices) {
  insert({std::move(name), variable, std::move(help), {}, std::move(choices)});
}
void Settings::add(std::string name, std::vector<double>* variable, std::string help, Range range) {
  insert({std::move(name), variable, std::move(help), range, {}});
}

void Settings::insert(Entry entry) {
  if (contains(entry.name)) throw Error("the setting " + entry.name + " is defined twice");
  entries_.push_back(std::move(entry));
}

bool Settings::contains(std::string_view name) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return entry.name == name; });
}

Settings::Entry& Settings::find(std::string_view name) {
  for (Entry& entry : entries_) {
    if (entry.name == name) return entry;
  }
  std::vector<std::string> names;
  for (const Entry& entry : entries_) names.push_back(entry.name);
  const std::string nearest = nearest_name(name, names);
  throw UsageError(nearest.empty()
                       ? fmt::format("unknown setting '{}'", name)
                       : fmt::format("unknown setting '{}'; did you mean '{}'?", name, nearest));
}

void Settings::set(std::string_view name, std::string_view text) {
  Entry& entry = find(name);
  if (auto** variable = std::get_if<int64_t*>(&entry.target)) {
    const auto value = parse_number<int64_t>(entry.name, text, "a whole number");
    check_range(entry.name, static_cast<double>(value), entry.range);
    **variable = value;
  } else if (auto** number = std::get_if<double*>(&entry.target)) {
    const auto value = parse_number<double>(entry.name, text, "a number");
    check_range(entry.name, value, entry.range);
    **number = value;
  } else if (auto** flag = std::get_if<bool*>(&entry.target)) {
    if (text != "true" && text != "false") {
      throw UsageError(fmt::format("{} = '{}': expected true or false", entry.name, text));
    }
    **flag = text == "true";
  } else if (auto** list = std::get_if<std::vector<double>*>(&entry.target)) {
    std::vector<double> values;
    for (std::string_view part : split_list(text)) {
      values.push_back(parse_number<double>(entry.name, part, "numbers separated by commas"));
      check_range(entry.name, values.back(), entry.range);
    }
    **list = std::move(values);
  } else {
    require_choice(entry.name, text, entry.choices);
    *std::get<std::string*>(entry.target) = text;
  }
}

void Settings::read_toml(std::string_view text, const std::string& origin) {
  const toml::table table = parse(text, origin);
  try {
    apply_table(*this, table, "");
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", origin, error.what()));
  }
}

void Settings::read_toml_file(const std::filesystem::path& path) {
  read_toml(read_file(path), path.string());
}

std::vector<Settings::Description> Settings::describe() const {
  std::vector<Description> all;
  for (const Entry& entry : entries_) {
    std::string value;
    if (auto* const* number = std::get_if<int64_t*>(&entry.target)) {
      value = std::to_string(**number);
    } else if (auto* const* real = std::get_if<double*>(&entry.target)) {
      value = float_text(**real);
    } else if (auto* const* flag = std::get_if<bool*>(&entry.target)) {
      value = **flag ? "true" : "false";
    } else if (auto* const* list = std::get_if<std::vector<double>*>(&entry.target)) {
      std::vector<std::string> parts;
      for (double each : **list) parts.push_back(float_text(each));
      value = fmt::format("[{}]", fmt::join(parts, ", "));
    } else {
      value = toml_text(*std::get<std::string*>(entry.target));
    }
    all.push_back({entry.name, value, entry.help, entry.choices});
  }
  return all;
}

std::string Settings::to_toml() const {
  std::map<std::string, std::string> tables;
  for (const Description& each : describe()) {
    const size_t dot = each.name.rfind('.');
    const std::string table = dot == std::string::npos ? "" : each.name.substr(0, dot);
    const std::string key = dot == std::string::npos ? each.name : each.name.substr(dot + 1);
    tables[table] += fmt::format("{} = {}\n", key, each.value);
  }
  std::string text;
  for (const auto& [name, body] : tables) {
    if (!text.empty()) text += "\n";
    if (!name.empty()) text += fmt::format("[{}]\n", name);
    text += body;
  }
  return text;
}

std::string toml_value(std::string_view text, const std::string& origin, std::string_view table,
                       std::string_view key) {
  const toml::table document = parse(text, origin);
  const toml::node* const outer = document.get(table);
  if (outer == nullptr) return {};
  if (!outer->is_table()) {
    throw UsageError(
        fmt::format("{}: {} is a value; expected a table, [{}], with {} = \"...\" in it", origin,
                    table, table, key));
  }
  const toml::node* const value = outer->as_table()->get(key);
  if (value == nullptr) return {};
  if (!value->is_string()) {
    throw UsageError(fmt::format("{}: {}.{} must be text in quotes", origin, table, key));
  }
  return value->as_string()->get();
}

}  // namespace skein
