#include "skein/comm/agreement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "skein/base/checksum.h"
#include "skein/base/process.h"

namespace skein {
namespace {

std::string name_of_rank(const Communicator& communicator, size_t rank) {
  return fmt::format("rank {} on {}", rank, communicator.hosts()[rank]);
}

// What a rank says: nothing, or the kind of its error and the sentence.
constexpr char kUsage = 'u';
constexpr char kOther = 'o';

std::string attempt(const std::function<void()>& prepare, std::exception_ptr& error) {
  try {
    prepare();
    return "";
  } catch (const UsageError& usage) {
    error = std::current_exception();
    return kUsage + std::string(usage.what());
  } catch (const std::exception& other) {
    error = std::current_exception();
    return kOther + std::string(other.what());
  }
}

[[noreturn]] void tell(bool usage, const std::string& sentence) {
  if (usage) throw UsageError(sentence);
  throw Error(sentence);
}

constexpr char kEnd = '\0';  // of a name and of a value

std::string encode(const std::vector<Trait>& traits) {
  std::string text;
  for (const Trait& trait : traits) text += trait.name + kEnd + trait.value + kEnd;
  return text;
}

std::map<std::string, std::string> decode(const std::string& text) {
  std::map<std::string, std::string> values;
  for (size_t at = 0; at < text.size();) {
    const std::string name = text.c_str() + at;
    at += name.size() + 1;
    values[name] = text.c_str() + at;
    at += values[name].size() + 1;
  }
  return values;
}

// "optimizer.lr is 0.1 instead of 0.2"; the first few.
std::string differences(const std::vector<Trait>& expected, const std::string& text) {
  constexpr size_t kMost = 4;
  const std::map<std::string, std::string> found = decode(text);
  std::vector<std::string> all;
  for (const Trait& trait : expected) {
    const auto value = found.find(trait.name);
    if (value != found.end() && value->second == trait.value) continue;
    all.push_back(fmt::format("{} is {} instead of {}", trait.name,
                              value == found.end() ? "missing" : value->second, trait.value));
  }
  if (all.empty()) return "there is more than on rank 0";
  const size_t more = all.size() - std::min(all.size(), kMost);
  all.resize(all.size() - more);
  return fmt::format("{}{}", fmt::join(all, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace

void together(Communicator& communicator, const std::function<void()>& prepare) {
  std::exception_ptr error;
  const Gathered said = communicator.all_gather(attempt(prepare, error), Patience::kWhileAlive);
  const auto first =
      std::find_if(said.begin(), said.end(), [](const auto& each) { return !each.empty(); });
  if (first == said.end()) return;
  const auto rank = static_cast<size_t>(first - said.begin());
  const bool usage = first->front() == kUsage;
  const std::string sentence = first->substr(1);
  if (static_cast<size_t>(communicator.rank()) != rank) throw EndedByAnotherRank(sentence, usage);
  const bool all_alike =
      std::all_of(said.begin(), said.end(), [&](const auto& each) { return each == *first; });
  if (all_alike) std::rethrow_exception(error);
  tell(usage, fmt::format("{}: {}", name_of_rank(communicator, rank), sentence));
}

void require_alike(Communicator& communicator, const std::vector<Trait>& traits) {
  const Gathered all = communicator.all_gather(encode(traits), Patience::kWhileAlive);
  std::vector<std::string> found;
  for (size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all[0]) continue;
    found.push_back(
        fmt::format("on {}, {}", name_of_rank(communicator, rank), differences(traits, all[rank])));
  }
  if (found.empty()) return;
  const std::string sentence = fmt::format(
      "the ranks are not alike: {}; start all of them with the same command, program and data",
      fmt::join(found, "; "));
  if (communicator.rank() > 0) throw EndedByAnotherRank(sentence, /*usage=*/true);
  throw UsageError(sentence);
}

std::vector<Trait> program_traits() {
  return {{"the version of Skein", SKEIN_VERSION},
          {"the checksum of libskein.so", file_crc32_text(own_library())}};
}

void leave_on_error(Communicator& communicator, const std::function<void()>& work) {
  try {
    work();
  } catch (const EndedByAnotherRank&) {
    throw;
  } catch (const std::exception& error) {
    communicator.leave(error.what(), dynamic_cast<const UsageError*>(&error) != nullptr);
    throw;
  }
}

}  // namespace skein
