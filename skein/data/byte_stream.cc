#include "skein/data/byte_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "skein/base/error.h"
#include "skein/data/decompress.h"

namespace skein {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int reason) {
  const char* remedy = reason == ENOENT   ? "; check the name"
                       : reason == EACCES ? "; check the permissions"
                       : reason == EISDIR ? "; name a file in it"
                                          : "";
  throw FileError(
      fmt::format("cannot read {}: {}{}", path.string(), std::strerror(reason), remedy));
}

class FileStream : public ByteStream {
 public:
  explicit FileStream(std::filesystem::path path)
      : path_(std::move(path)), descriptor_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) fail(path_, errno);
    struct stat status {};
    if (::fstat(descriptor_, &status) == 0 && S_ISDIR(status.st_mode)) {
      ::close(descriptor_);
      fail(path_, EISDIR);
    }
  }
  ~FileStream() override { ::close(descriptor_); }
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;

  size_t read(std::span<char> out) override {
    for (;;) {
      const ssize_t count = ::read(descriptor_, out.data(), out.size());
      if (count >= 0) return static_cast<size_t>(count);
      if (errno != EINTR) fail(path_, errno);
    }
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

 private:
  MemoryStream head_;
  std::unique_ptr<ByteStream> rest_;
};

std::string read_head(ByteStream& stream, size_t size) {
  std::string head(size, '\0');
  size_t filled = 0;
  while (filled < size) {
    const size_t count = stream.read(std::span(head).subspan(filled));
    if (count == 0) break;
    filled += count;
  }
  head.resize(filled);
  return head;
}

bool is_gzip(std::string_view head) { return head.starts_with("\x1f\x8b"); }

// A frame, or a skippable frame as pzstd writes one in front (magic 0x184D2A50 to 0x184D2A5F).
bool is_zstd(std::string_view head) {
  if (head.starts_with("\x28\xb5\x2f\xfd")) return true;
  return head.size() >= 4 && (static_cast<unsigned char>(head[0]) & 0xf0) == 0x50 &&
         head.substr(1, 3) == "\x2a\x4d\x18";
}

std::unique_ptr<ByteStream> decompressed(std::unique_ptr<ByteStream> stream, std::string name) {
  std::string head = read_head(*stream, 4);
  const bool gzip = is_gzip(head);
  const bool zstd = is_zstd(head);
  stream = std::make_unique<RewoundStream>(std::move(head), std::move(stream));
  if (gzip) return internal::gzip_stream(std::move(stream), std::move(name));
  if (zstd) return internal::zstd_stream(std::move(stream), std::move(name));
  return stream;
}

}  // namespace

std::unique_ptr<ByteStream> open_stream(const std::filesystem::path& path) {
  return decompressed(std::make_unique<FileStream>(path), path.string());
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
