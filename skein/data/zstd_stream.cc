#include <fmt/format.h>
#include <zstd.h>

#include <utility>
#include <vector>

#include "skein/base/error.h"
#include "skein/data/decompress.h"

namespace skein::internal {
namespace {

class ZstdStream : public ByteStream {
 public:
  ZstdStream(std::unique_ptr<ByteStream> compressed, std::string name)
      : compressed_(std::move(compressed)),
        name_(std::move(name)),
        buffer_(ZSTD_DStreamInSize()),
        context_(ZSTD_createDCtx(), ZSTD_freeDCtx) {
    if (!context_) throw FileError("cannot start zstd: no memory");
  }

  size_t read(std::span<char> out) override {
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    while (output.pos == 0 && output.size > 0) {
      // What the decoder holds back is drained by calls without input, so the end of the input is
      // the end only when the frame is complete.
      const bool ended = input_.pos == input_.size && !refill();
      if (ended && frame_complete_) return 0;
      const size_t result = ZSTD_decompressStream(context_.get(), &output, &input_);
      if (ZSTD_isError(result) != 0) {
        throw FormatError(
            fmt::format("{}: the zstd data cannot be decoded ({}); fetch the file again", name_,
                        ZSTD_getErrorName(result)));
      }
      frame_complete_ = result == 0;
      if (ended && output.pos == 0 && !frame_complete_) {
        throw FormatError(fmt::format("{}: the zstd data ends early; fetch the file again", name_));
      }
    }
    return output.pos;
  }

 private:
  bool refill() {
    input_ = {buffer_.data(), compressed_->read(buffer_), 0};
    return input_.size > 0;
  }

  std::unique_ptr<ByteStream> compressed_;
  std::string name_;
  std::vector<char> buffer_;
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context_;
  ZSTD_inBuffer input_{nullptr, 0, 0};
  bool frame_complete_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> zstd_stream(std::unique_ptr<ByteStream> compressed, std::string name) {
  return std::make_unique<ZstdStream>(std::move(compressed), std::move(name));
}

}  // namespace skein::internal
