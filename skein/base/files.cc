#include "skein/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <utility>

#include "skein/base/error.h"
#include "skein/base/file_error.h"

namespace skein {
namespace fs = std::filesystem;
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;

[[noreturn]] void fail(const char* action, const fs::path& path) {
  throw_file_error(action, path, errno);
}

// Closes the descriptor at the end of the scope.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags, const char* action)
      : value_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (value_ < 0) fail(action, path);
  }
  ~Descriptor() { ::close(value_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }

 private:
  int value_;
};

uint64_t regular_size(const Descriptor& file, const fs::path& path) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail("read", path);
  if (!S_ISREG(status.st_mode)) {
    throw FileError(
        fmt::format("cannot read {}: it is not a regular file; name a file", path.string()));
  }
  return static_cast<uint64_t>(status.st_size);
}

void sync_folder(const fs::path& folder) {
  const Descriptor descriptor(folder.empty() ? fs::path(".") : folder, O_RDONLY | O_DIRECTORY,
                              "open");
  ::fsync(descriptor.get());
}

bool process_runs(pid_t process) { return ::kill(process, 0) == 0 || errno == EPERM; }

void remove_leftovers(const fs::path& target) {
  const std::string prefix = target.filename().string() + ".partial-";
  const fs::path parent = target.has_parent_path() ? target.parent_path() : fs::path(".");
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix)) continue;
    pid_t process = 0;
    const char* first = name.data() + prefix.size();
    const auto parsed = std::from_chars(first, name.data() + name.size(), process);
    if (parsed.ec == std::errc() && process != ::getpid() && !process_runs(process)) {
      fs::remove_all(entry.path(), ignored);
    }
  }
}

}  // namespace

std::string read_file(const fs::path& path) {
  const Descriptor file(path, O_RDONLY, "read");
  std::string content(regular_size(file, path), '\0');
  size_t done = 0;
  while (done < content.size()) {
    const ssize_t count = ::read(file.get(), content.data() + done, content.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("read", path);
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  content.resize(done);
  return content;
}

void require_not_among(const fs::path& output, std::span<const fs::path> inputs) {
  std::error_code missing;
  for (const fs::path& input : inputs) {
    if (input.empty() || !fs::is_regular_file(input, missing)) continue;
    if (!fs::equivalent(input, output, missing)) continue;
    throw UsageError(
        fmt::format("--output {} is the input {}, which writing would destroy; name another file",
                    output.string(), input.string()));
  }
}

void write_file(const fs::path& path, std::string_view content) {
  const fs::path partial = fmt::format("{}.partial-{}", path.string(), ::getpid());
  FileWriter writer(partial);
  writer.write(content);
  writer.close();
  if (::rename(partial.c_str(), path.c_str()) != 0) fail("write", path);
  sync_folder(path.parent_path());
}

MappedFile::MappedFile(const fs::path& path) {
  const Descriptor file(path, O_RDONLY, "read");
  size_ = regular_size(file, path);
  if (size_ == 0) return;
  void* address = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file.get(), 0);
  if (address == MAP_FAILED) fail("map", path);
  data_ = static_cast<const std::byte*>(address);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

FileWriter::FileWriter(fs::path path) : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("write", path_);
  buffer_.reserve(kBufferBytes);
}

FileWriter::~FileWriter() {
  if (descriptor_ < 0) return;
  struct stat status {};
  const bool regular = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  ::close(descriptor_);
  if (regular) ::unlink(path_.c_str());  // never a device such as /dev/full
}

void FileWriter::write(std::span<const std::byte> bytes) {
  size_ += bytes.size();
  if (buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (bytes.size() > kBufferBytes) return write_through(bytes);
  buffer_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void FileWriter::flush() {
  write_through(std::as_bytes(std::span(buffer_)));
  buffer_.clear();
}

void FileWriter::write_through(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("write", path_);
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
}

void FileWriter::overwrite(uint64_t position, std::span<const std::byte> bytes) {
  flush();
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::pwrite(descriptor_, bytes.data() + done, bytes.size() - done,
                                   static_cast<off_t>(position + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("write", path_);
    done += static_cast<size_t>(count);
  }
}

void FileWriter::close() {
  flush();
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail("write", path_);
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) fail("write", path_);
}

FolderWriter::FolderWriter(fs::path target) : target_(std::move(target)) {
  if (!target_.has_filename()) target_ = target_.parent_path();
  remove_leftovers(target_);
  partial_ = fmt::format("{}.partial-{}", target_.string(), ::getpid());
  std::error_code error;
  fs::remove_all(partial_, error);
  fs::create_directories(partial_, error);
  if (error) throw_file_error("create", target_, error.value());
}

FolderWriter::~FolderWriter() {
  std::error_code ignored;
  if (!committed_) fs::remove_all(partial_, ignored);
}

void FolderWriter::commit() {
  sync_folder(partial_);
  // A folder cannot be renamed onto one that is not empty: exchange the two names, then remove the
  // old one.
  if (::rename(partial_.c_str(), target_.c_str()) != 0) {
    if (errno != ENOTEMPTY && errno != EEXIST) fail("write", target_);
    if (::renameat2(AT_FDCWD, partial_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) != 0) {
      fail("replace", target_);
    }
    std::error_code ignored;
    fs::remove_all(partial_, ignored);
  }
  committed_ = true;
  sync_folder(target_.parent_path());
}

void require_writable_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw_file_error("create", folder, error.value());
  if (::access(folder.c_str(), W_OK | X_OK) != 0) fail("write into", folder);
}

}  // namespace skein
