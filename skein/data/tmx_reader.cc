// Format: TMX 1.4b Specification (LISA OSCAR 2005).
#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "skein/data/charset.h"
#include "skein/data/readers.h"
#include "skein/data/record.h"
#include "skein/data/tmx_unit.h"
#include "skein/text/utf8.h"

namespace skein {
namespace {

using internal::TmxVariant;

constexpr size_t kBlockBytes = size_t{1} << 16;
constexpr size_t kMostTextBytes = size_t{1} << 26;
constexpr size_t kMostLanguagesShown = 20;
constexpr std::array<std::string_view, 6> kMarkup = {"bpt", "ept", "it", "ph", "ut", "sub"};

// Where the parser stands, lines counted from one and columns from zero. Expat 2.9 deprecates the
// functions whose result has the width of long.
#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9
int64_t line_of(XML_Parser parser) {
  return static_cast<int64_t>(XML_GetCurrentLineNumber64(parser));
}
int64_t column_of(XML_Parser parser) {
  return static_cast<int64_t>(XML_GetCurrentColumnNumber64(parser));
}
#else
int64_t line_of(XML_Parser parser) {
  return static_cast<int64_t>(XML_GetCurrentLineNumber(parser));
}
int64_t column_of(XML_Parser parser) {
  return static_cast<int64_t>(XML_GetCurrentColumnNumber(parser));
}
#endif

bool is_markup(std::string_view element) {
  return std::find(kMarkup.begin(), kMarkup.end(), element) != kMarkup.end();
}

// For an encoding that expat does not know: a table if every byte is one character in it.
int describe_encoding(void*, const XML_Char* name, XML_Encoding* encoding) noexcept {
  try {
    CharsetConverter converter(name);
    std::string text;
    for (int byte = 0; byte < 256; ++byte) {
      const char value = static_cast<char>(byte);
      if (!converter.to_utf8({&value, 1}, text)) {
        encoding->map[byte] = -1;
      } else if (!text.empty() && text.size() == utf8_length(text[0]) && text.size() < 4) {
        encoding->map[byte] = static_cast<int>(decode_utf8(text));
      } else {
        return XML_STATUS_ERROR;
      }
    }
  } catch (const std::exception&) {
    return XML_STATUS_ERROR;  // the parser then reports an unknown encoding, with the place
  }
  encoding->data = nullptr;
  encoding->convert = nullptr;
  encoding->release = nullptr;
  return XML_STATUS_OK;
}

class TmxReader : public PairReader {
 public:
  TmxReader(std::unique_ptr<ByteStream> stream, std::string name, CorpusOptions options)
      : stream_(std::move(stream)),
        name_(std::move(name)),
        options_(std::move(options)),
        parser_(XML_ParserCreate(nullptr), XML_ParserFree) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(
        parser_.get(),
        [](void* self, const XML_Char* element, const XML_Char** attributes) noexcept {
          static_cast<TmxReader*>(self)->begin_element(element, attributes);
        },
        [](void* self, const XML_Char* element) noexcept {
          static_cast<TmxReader*>(self)->end_element(element);
        });
    XML_SetCharacterDataHandler(
        parser_.get(), [](void* self, const XML_Char* text, int size) noexcept {
          static_cast<TmxReader*>(self)->add_text({text, static_cast<size_t>(size)});
        });
    XML_SetSkippedEntityHandler(parser_.get(), [](void* self, const XML_Char*, int) noexcept {
      static_cast<TmxReader*>(self)->unknown_entity_ = true;
    });
    XML_SetUnknownEncodingHandler(parser_.get(), describe_encoding, nullptr);
  }

  bool next(Pair& pair) override {
    while (waiting_.empty()) {
      if (finished_) {
        if (pairs_ == 0) refuse_languages();
        return false;
      }
      parse_block();
    }
    line_ = waiting_.front().line;
    pair = std::move(waiting_.front().pair);
    waiting_.pop_front();
    return true;
  }

  std::string where() const override { return fmt::format("{}:{}", name_, line_); }

 private:
  struct Waiting {
    Pair pair;
    int64_t line;
  };

  void parse_block() {
    void* buffer = XML_GetBuffer(parser_.get(), kBlockBytes);
    if (buffer == nullptr) throw std::bad_alloc();
    const size_t count = stream_->read({static_cast<char*>(buffer), kBlockBytes});
    finished_ = count == 0;
    const XML_Status status =
        XML_ParseBuffer(parser_.get(), static_cast<int>(count), finished_ ? 1 : 0);
    if (status == XML_STATUS_OK) return;
    const std::string place =
        fmt::format("{}:{}:{}", name_, line_of(parser_.get()), column_of(parser_.get()) + 1);
    const XML_Error error = XML_GetErrorCode(parser_.get());
    if (error == XML_ERROR_ABORTED) {
      throw FormatError(fmt::format("{}: a unit of more than {} MiB; is this a .tmx file?", place,
                                    kMostTextBytes >> 20));
    }
    throw FormatError(fmt::format("{}: the XML is not valid ({}); repair the file", place,
                                  XML_ErrorString(error)));
  }

  void begin_element(std::string_view element, const XML_Char** attributes) {
    if (element == "tu") {
      unit_line_ = line_of(parser_.get());
      variants_.clear();
      unknown_entity_ = false;
      unit_bytes_ = 0;
    } else if (element == "tuv") {
      TmxVariant& variant = variants_.emplace_back();
      for (; *attributes != nullptr; attributes += 2) {
        // Versions before 1.4 write lang.
        const std::string_view key = attributes[0];
        if (key == "xml:lang" || key == "lang") variant.language = attributes[1];
      }
    } else if (element == "seg") {
      in_segment_ = true;
    } else if (in_segment_ && is_markup(element)) {
      ++markup_depth_;
    }
  }

  void end_element(std::string_view element) {
    if (element == "tu") {
      finish_unit();
    } else if (element == "seg") {
      in_segment_ = false;
      markup_depth_ = 0;
    } else if (in_segment_ && is_markup(element)) {
      --markup_depth_;
    }
  }

  void add_text(std::string_view text) {
    if (!in_segment_ || markup_depth_ > 0 || variants_.empty()) return;
    unit_bytes_ += text.size();
    if (unit_bytes_ > kMostTextBytes) {
      XML_StopParser(parser_.get(), XML_FALSE);
      return;
    }
    variants_.back().text += text;
  }

  void finish_unit() {
    for (const TmxVariant& variant : variants_) {
      if (languages_.size() < kMostLanguagesShown)
        languages_.insert(variant.language.substr(0, 20));
    }
    const int source =
        options_.monolingual() ? -1 : find_variant(variants_, options_.source_language);
    const int target = find_variant(variants_, options_.target_language);
    if (target < 0 || (source < 0 && !options_.monolingual()) || source == target) {
      ++left_out_["unit without the languages"];
    } else if (unknown_entity_) {
      ++left_out_["unknown entity"];
    } else {
      Pair pair;
      if (source >= 0)
        pair.source = internal::as_one_line(variants_[static_cast<size_t>(source)].text);
      pair.target = internal::as_one_line(variants_[static_cast<size_t>(target)].text);
      waiting_.push_back({std::move(pair), unit_line_});
      ++pairs_;
    }
    variants_.clear();
  }

  [[noreturn]] void refuse_languages() const {
    std::string found;
    for (const std::string& language : languages_) {
      found += fmt::format("{}{}", found.empty() ? "" : ", ", language);
    }
    const std::string wanted =
        options_.monolingual()
            ? options_.target_language
            : fmt::format("both {} and {}", options_.source_language, options_.target_language);
    throw FormatError(fmt::format(
        "{}: no translation unit has {}; found: {}; name the languages as the file does", name_,
        wanted, found.empty() ? "no units" : found));
  }

  std::unique_ptr<ByteStream> stream_;
  std::string name_;
  CorpusOptions options_;
  std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser_;
  std::vector<TmxVariant> variants_;
  bool in_segment_ = false;
  int markup_depth_ = 0;
  bool unknown_entity_ = false;
  size_t unit_bytes_ = 0;
  int64_t unit_line_ = 0;
  std::set<std::string> languages_;
  std::deque<Waiting> waiting_;
  int64_t pairs_ = 0;
  int64_t line_ = 0;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<PairReader> read_tmx(std::unique_ptr<ByteStream> stream, std::string name,
                                     const CorpusOptions& options) {
  return std::make_unique<TmxReader>(std::move(stream), std::move(name), options);
}

}  // namespace skein
