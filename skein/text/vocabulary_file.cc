#include "skein/text/vocabulary_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "skein/base/error.h"
#include "skein/text/utf8.h"

namespace skein {
namespace {

constexpr std::string_view kMagic = "#skein-vocabulary ";
constexpr std::string_view kVersion = "1";

// Takes the lines of a file one by one and knows where it is.
class LineCursor {
 public:
  LineCursor(std::string_view content, const std::string& origin)
      : rest_(content), origin_(origin) {}

  bool at_end() const { return rest_.empty(); }
  size_t line_number() const { return line_number_; }

  std::string_view next(const char* expected) {
    ++line_number_;
    if (rest_.empty())
      fail(fmt::format("the file ends where {} was expected; it was cut short", expected));
    const size_t end = rest_.find('\n');
    if (end == std::string_view::npos) fail("the last line has no end; the file was cut short");
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    if (find_invalid_utf8(line) != std::string_view::npos)
      fail("the line is not UTF-8; restore the file");
    return line;
  }

  [[noreturn]] void fail(const std::string& reason) const {
    throw FormatError(fmt::format("{}:{}: {}", origin_, line_number_, reason));
  }

 private:
  std::string_view rest_;
  const std::string& origin_;
  size_t line_number_ = 0;
};

// Takes a word and the space behind it off the front of `text`.
std::string_view take_word(std::string_view& text) {
  const size_t space = text.find(' ');
  const std::string_view word = text.substr(0, space);
  text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  return word;
}

std::string parse_header(LineCursor& cursor) {
  std::string_view line = cursor.next("the line '#skein-vocabulary 1 TYPE'");
  if (!line.starts_with(kMagic))
    cursor.fail("the first line is not '#skein-vocabulary 1 TYPE'; is this a vocabulary?");
  line.remove_prefix(kMagic.size());
  const std::string_view version = take_word(line);
  if (version != kVersion) {
    cursor.fail(
        fmt::format("format version '{}' was found, version {} was expected; use a newer skein",
                    version, kVersion));
  }
  if (line.empty())
    cursor.fail("the type is missing; the first line is '#skein-vocabulary 1 TYPE'");
  return std::string(line);
}

Normalization parse_normalization(LineCursor& cursor) {
  std::string_view line = cursor.next("the line 'normalization FORM'");
  if (take_word(line) != "normalization") cursor.fail("the line 'normalization FORM' was expected");
  const std::vector<std::string> names = normalization_names();
  if (std::find(names.begin(), names.end(), line) == names.end()) {
    cursor.fail(
        fmt::format("there is no normalisation '{}'; none, nfc or nfkc was expected", line));
  }
  return normalization_from_name(line);
}

VocabularyFile::Section parse_section(LineCursor& cursor) {
  std::string_view line = cursor.next("a section");
  if (take_word(line) != "section") cursor.fail("the line 'section NAME COUNT' was expected");
  VocabularyFile::Section section{.name = std::string(take_word(line))};
  size_t count = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), count);
  if (section.name.empty() || error != std::errc() || end != line.data() + line.size()) {
    cursor.fail("the line 'section NAME COUNT' was expected");
  }
  section.first_line = cursor.line_number() + 1;
  while (section.lines.size() < count)
    section.lines.emplace_back(cursor.next("a line of the section"));
  return section;
}

}  // namespace

std::string VocabularyFile::type_of(std::string_view content) {
  if (!content.starts_with(kMagic)) return "";
  content = content.substr(kMagic.size(), content.find('\n') - kMagic.size());
  take_word(content);
  return std::string(content);
}

VocabularyFile VocabularyFile::parse(std::string_view content, const std::string& origin) {
  LineCursor cursor(content, origin);
  VocabularyFile file;
  file.origin = origin;
  file.type = parse_header(cursor);
  file.normalization = parse_normalization(cursor);
  while (!cursor.at_end()) file.sections.push_back(parse_section(cursor));
  return file;
}

std::string VocabularyFile::serialize() const {
  std::string text = fmt::format("{}{} {}\nnormalization {}\n", kMagic, kVersion, type,
                                 normalization_name(normalization));
  for (const Section& section : sections) {
    text += fmt::format("section {} {}\n", section.name, section.lines.size());
    for (const std::string& line : section.lines) {
      text += line;
      text += '\n';
    }
  }
  return text;
}

const VocabularyFile::Section& VocabularyFile::section(std::string_view name) const {
  const auto found = std::find_if(sections.begin(), sections.end(),
                                  [name](const Section& section) { return section.name == name; });
  if (found == sections.end()) {
    throw FormatError(
        fmt::format("{}:1: there is no section '{}'; the file is incomplete", origin, name));
  }
  return *found;
}

Vocabulary VocabularyFile::vocabulary() const {
  Vocabulary vocabulary;
  for (const char* name : {"symbols", "pieces"}) {
    const Section& part = section(name);
    for (size_t i = 0; i < part.lines.size(); ++i) {
      if (vocabulary.add(part.lines[i])) continue;
      throw FormatError(fmt::format(
          "{}:{}: the piece '{}' is empty, a special token or there twice; remove the line", origin,
          part.first_line + i, part.lines[i]));
    }
  }
  return vocabulary;
}

}  // namespace skein
