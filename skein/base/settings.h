// Settings: named, typed, bounded values that a program binds to its variables once and that TOML
// files and the command line then set by dotted name (`optimizer.lr`). Unknown names and values out
// of range are refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace skein {

// Inclusive bounds of a number.
struct Range {
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
};

class Settings {
 public:
  // The variable's current value is the default. It must outlive this object.
  void add(std::string name, int64_t* variable, std::string help, Range range = {});
  void add(std::string name, double* variable, std::string help, Range range = {});
  void add(std::string name, bool* variable, std::string help);
  // `choices` empty: any text.
  void add(std::string name, std::string* variable, std::string help,
           std::vector<std::string> choices = {});
  void add(std::string name, std::vector<double>* variable, std::string help, Range range = {});

  // Throws UsageError for an unknown name (with the nearest known one), text that is no value of
  // the setting's type, or a value out of range.
  void set(std::string_view name, std::string_view text);
  bool contains(std::string_view name) const;

  // Tables become dotted names. `origin` names the source in errors.
  void read_toml(std::string_view text, const std::string& origin);
  void read_toml_file(const std::filesystem::path& path);
  // Every setting, grouped into tables; reads back to the same values.
  std::string to_toml() const;

  struct Description {
    std::string name;
    std::string value;
    std::string help;
    std::vector<std::string> choices;  // empty: any value of its type
  };
  std::vector<Description> describe() const;

 private:
  using Target = std::variant<int64_t*, double*, bool*, std::string*, std::vector<double>*>;
  struct Entry {
    std::string name;
    Target target;
    std::string help;
    Range range;
    std::vector<std::string> choices;
  };

  Entry& find(std::string_view name);
  void insert(Entry entry);

  std::vector<Entry> entries_;
};

// The text `key` of the table `table` of a TOML document; empty if there is none. Throws
// FormatError if the document is no TOML, UsageError if what is there is no table or no text.
std::string toml_value(std::string_view text, const std::string& origin, std::string_view table,
                       std::string_view key);

}  // namespace skein
