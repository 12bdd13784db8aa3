#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "skein/base/error.h"
#include "skein/data/decompress.h"

namespace skein::internal {
namespace {

constexpr size_t kInputBytes = size_t{1} << 16;
constexpr int kGzipWindowBits = 15 + 16;  // the largest window, with a gzip header

class GzipStream : public ByteStream {
 public:
  GzipStream(std::unique_ptr<ByteStream> compressed, std::string name)
      : compressed_(std::move(compressed)), name_(std::move(name)), input_(kInputBytes) {
    if (inflateInit2(&inflate_, kGzipWindowBits) != Z_OK)
      throw FileError("cannot start zlib: no memory");
  }
  ~GzipStream() override { inflateEnd(&inflate_); }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  size_t read(std::span<char> out) override {
    const auto size = static_cast<uInt>(std::min(out.size(), size_t{1} << 30));
    inflate_.next_out = reinterpret_cast<Bytef*>(out.data());
    inflate_.avail_out = size;
    while (inflate_.avail_out == size && size > 0) {
      if (inflate_.avail_in == 0 && !refill()) {
        if (between_members_) return 0;
        throw FormatError(fmt::format("{}: the gzip data ends early; fetch the file again", name_));
      }
      if (between_members_ && !begin_member()) continue;
      inflate_some();
    }
    return size - inflate_.avail_out;
  }

 private:
  bool refill() {
    const size_t count = compressed_->read(input_);
    inflate_.next_in = reinterpret_cast<Bytef*>(input_.data());
    inflate_.avail_in = static_cast<uInt>(count);
    return count > 0;
  }

  // Passes over padding; false if the input at hand holds nothing else.
  bool begin_member() {
    while (inflate_.avail_in > 0 && *inflate_.next_in == 0) {
      ++inflate_.next_in;
      --inflate_.avail_in;
    }
    if (inflate_.avail_in == 0) return false;
    between_members_ = false;
    return true;
  }

  void inflate_some() {
    const int result = inflate(&inflate_, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      between_members_ = true;
      inflateReset(&inflate_);
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      throw FormatError(fmt::format("{}: the gzip data is damaged ({}); fetch the file again",
                                    name_,
                                    inflate_.msg != nullptr ? inflate_.msg : "unknown fault"));
    }
  }

  std::unique_ptr<ByteStream> compressed_;
  std::string name_;
  std::vector<char> input_;
  z_stream inflate_{};
  bool between_members_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> gzip_stream(std::unique_ptr<ByteStream> compressed, std::string name) {
  return std::make_unique<GzipStream>(std::move(compressed), std::move(name));
}

}  // namespace skein::internal
