#include "skein/data/line_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "skein/base/error.h"

namespace skein {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 16;
constexpr size_t kMaxLineBytes = size_t{1} << 26;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

LineReader::LineReader(const std::filesystem::path& path, ByteOrderMark mark)
    : LineReader(open_stream(path), path.string(), mark) {}

LineReader::LineReader(std::unique_ptr<ByteStream> stream, std::string name, ByteOrderMark mark)
    : stream_(std::move(stream)), name_(std::move(name)), mark_(mark), buffer_(kBufferBytes) {}

bool LineReader::refill() {
  begin_ = 0;
  end_ = at_end_ ? 0 : stream_->read(buffer_);
  at_end_ = end_ == 0;
  return !at_end_;
}

bool LineReader::ready() {
  while (std::memchr(buffer_.data() + begin_, '\n', end_ - begin_) == nullptr) {
    const bool full = end_ - begin_ == buffer_.size();
    if (at_end_ || full) return true;
    if (!stream_->ready()) return false;
    append_available();
  }
  return true;
}

void LineReader::append_available() {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  const size_t count = stream_->read(std::span(buffer_).subspan(end_));
  end_ += count;
  at_end_ = count == 0;
}

bool LineReader::next(std::string& line) {
  line.clear();
  if (begin_ == end_ && !refill()) return false;
  ++line_number_;
  for (;;) {
    const char* first = buffer_.data() + begin_;
    const void* newline = std::memchr(first, '\n', end_ - begin_);
    const size_t length = newline != nullptr
                              ? static_cast<size_t>(static_cast<const char*>(newline) - first)
                              : end_ - begin_;
    if (line.size() + length > kMaxLineBytes) {
      throw FormatError(fmt::format("{}: the line is longer than {} MiB; is this a text file?",
                                    where(), kMaxLineBytes >> 20));
    }
    line.append(first, length);
    begin_ += length;
    if (newline != nullptr) ++begin_;
    if (newline != nullptr || !refill()) break;
  }
  if (line.ends_with('\r')) line.pop_back();
  if (line_number_ == 1) check_first_line(line);
  return true;
}

void LineReader::check_first_line(std::string& line) const {
  if (line.starts_with("\xff\xfe") || line.starts_with("\xfe\xff")) {
    throw FormatError(fmt::format(
        "{}: the text is UTF-16; convert it, for example by iconv -f UTF-16 -t UTF-8", name_));
  }
  if (mark_ == ByteOrderMark::kRemove && line.starts_with(kByteOrderMark)) {
    line.erase(0, kByteOrderMark.size());
  }
}

std::string LineReader::where() const { return fmt::format("{}:{}", name_, line_number_); }

}  // namespace skein
