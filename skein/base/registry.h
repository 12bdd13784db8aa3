// Things that a user chooses by name: models, criteria, optimisers, schedules, tokenisers. Each
// family has one function that returns its registry, already filled with the built-in entries; a
// plug-in adds its own.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "skein/base/error.h"
#include "skein/base/nearest.h"

namespace skein {

// `Entry` is what the name stands for: usually a function that makes the thing.
template <typename Entry>
class Registry {
 public:
  // `what` names the family in errors, in the singular: "tokenizer".
  explicit Registry(std::string what) : what_(std::move(what)) {}

  // Throws UsageError if the name is taken.
  void add(std::string name, Entry entry) {
    const auto [position, inserted] = entries_.emplace(std::move(name), std::move(entry));
    if (!inserted) {
      throw UsageError("the " + what_ + " '" + position->first +
                       "' is registered twice; give the second one another name");
    }
  }

  // Throws UsageError, with the nearest known name, if there is no such entry.
  const Entry& get(std::string_view name) const {
    const std::vector<std::string> known = names();
    require_name(what_, name, std::vector<std::string_view>(known.begin(), known.end()));
    return entries_.find(name)->second;
  }

  bool contains(std::string_view name) const { return entries_.find(name) != entries_.end(); }

  // In alphabetical order.
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& [name, entry] : entries_) result.push_back(name);
    return result;
  }

 private:
  std::string what_;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace skein
