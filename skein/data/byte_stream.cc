#include "skein/data/byte_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string_view>
#include <utility>

#include "skein/base/error.h"
#include "skein/base/file_error.h"
#include "skein/data/decompress.h"

namespace skein {
namespace {

class FileStream : public ByteStream {
 public:
  explicit FileStream(const std::filesystem::path& path)
      : FileStream(path, ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  // Takes over the descriptor; negative: opening failed as errno says.
  FileStream(std::filesystem::path path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {
    if (descriptor_ < 0) throw_file_error("read", path_, errno);
    struct stat status {};
    if (::fstat(descriptor_, &status) == 0 && S_ISDIR(status.st_mode)) {
      ::close(descriptor_);
      throw_file_error("read", path_, EISDIR);
    }
  }
  ~FileStream() override { ::close(descriptor_); }
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;

  size_t read(std::span<char> out) override {
    for (;;) {
      const ssize_t count = ::read(descriptor_, out.data(), out.size());
      if (count >= 0) return static_cast<size_t>(count);
      if (errno != EINTR) throw_file_error("read", path_, errno);
    }
  }

  bool ready() const override {
    pollfd wanted{.fd = descriptor_, .events = POLLIN, .revents = 0};
    return ::poll(&wanted, 1, 0) != 0;
  }

 private:
  std::filesystem::path path_;
  int descriptor_;
};

class MemoryStream : public ByteStream {
 public:
  explicit MemoryStream(std::string bytes) : bytes_(std::move(bytes)) {}

  size_t read(std::span<char> out) override {
    const size_t count = std::min(out.size(), bytes_.size() - position_);
    std::copy_n(bytes_.data() + position_, count, out.data());
    position_ += count;
    return count;
  }

  bool at_end() const { return position_ == bytes_.size(); }

 private:
  std::string bytes_;
  size_t position_ = 0;
};

// Gives back what was read to look at the first bytes, then the rest.
class RewoundStream : public ByteStream {
 public:
  RewoundStream(std::string head, std::unique_ptr<ByteStream> rest)
      : head_(std::move(head)), rest_(std::move(rest)) {}

  size_t read(std::span<char> out) override {
    if (const size_t count = head_.read(out); count > 0) return count;
    return rest_->read(out);
  }

  bool ready() const override { return !head_.at_end() || rest_->ready(); }

 private:
  MemoryStream head_;
  std::unique_ptr<ByteStream> rest_;
};

// What a compressed file begins with: a first byte, of which the masked bits count, and the rest.
struct Magic {
  using Open = std::unique_ptr<ByteStream> (*)(std::unique_ptr<ByteStream>, std::string);
  uint8_t mask;
  uint8_t first;
  std::string_view rest;
  Open open;
};
constexpr Magic kMagics[] = {
    {0xff, 0x1f, "\x8b", internal::gzip_stream},
    {0xff, 0x28, "\xb5\x2f\xfd", internal::zstd_stream},
    // A skippable frame, as pzstd writes one in front (0x184D2A50 to 0x184D2A5F).
    {0xf0, 0x50, "\x2a\x4d\x18", internal::zstd_stream},
};

// The one that `head`, not empty, may be the beginning of; nullptr if it is not.
const Magic* magic_of(std::string_view head) {
  for (const Magic& magic : kMagics) {
    const bool begins = (static_cast<uint8_t>(head[0]) & magic.mask) == magic.first;
    if (begins && magic.rest.starts_with(head.substr(1))) return &magic;
  }
  return nullptr;
}

// Reads no more than it takes to tell, so that a short line that a person types is not held back.
std::unique_ptr<ByteStream> decompressed(std::unique_ptr<ByteStream> stream, std::string name) {
  std::string head;
  const Magic* magic = nullptr;
  for (char byte = 0; stream->read({&byte, 1}) > 0;) {
    head += byte;
    magic = magic_of(head);
    if (magic == nullptr || head.size() == magic->rest.size() + 1) break;
  }
  const bool whole = magic != nullptr && head.size() == magic->rest.size() + 1;
  stream = std::make_unique<RewoundStream>(std::move(head), std::move(stream));
  return whole ? magic->open(std::move(stream), std::move(name)) : std::move(stream);
}

}  // namespace

std::unique_ptr<ByteStream> open_stream(const std::filesystem::path& path) {
  return decompressed(std::make_unique<FileStream>(path), path.string());
}

std::unique_ptr<ByteStream> standard_input() {
  constexpr const char* kName = "standard input";
  return decompressed(
      std::make_unique<FileStream>(kName, ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)), kName);
}

std::unique_ptr<ByteStream> memory_stream(std::string bytes, std::string name) {
  return decompressed(std::make_unique<MemoryStream>(std::move(bytes)), std::move(name));
}

std::string read_all(ByteStream& stream, const std::string& name, size_t limit) {
  constexpr size_t kBlockBytes = size_t{1} << 16;
  std::string content;
  for (;;) {
    const size_t filled = content.size();
    content.resize(filled + kBlockBytes);
    const size_t count = stream.read(std::span(content).subspan(filled));
    content.resize(filled + count);
    if (count == 0) return content;
    if (content.size() > limit) {
      throw FormatError(
          fmt::format("{}: holds more than {} bytes; split it into smaller files", name, limit));
    }
  }
}

}  // namespace skein
