// Files that are whole or not there: everything is written under a temporary name and renamed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace skein {

// Throws FileError if `path` is missing, not a regular file or unreadable.
std::string read_file(const std::filesystem::path& path);

// Throws UsageError if writing `output` would destroy one of the `inputs`, by whatever name.
void require_not_among(const std::filesystem::path& output,
                       std::span<const std::filesystem::path> inputs);

// Replaces `path` in one step: a reader sees the old content or the new one, also after a crash.
void write_file(const std::filesystem::path& path, std::string_view content);

// A file mapped for reading; all processes of a machine share its pages.
class MappedFile {
 public:
  MappedFile() = default;
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

// Writes a file in sequence through a buffer. What was written is complete only after close(),
// which flushes to the disk; without it the destructor removes the file.
class FileWriter {
 public:
  explicit FileWriter(std::filesystem::path path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  // Throws FileError, naming the path and the reason, when the disk is full.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  template <typename T>
  void write_values(std::span<const T> values) {
    write(std::as_bytes(values));
  }
  // Replaces bytes written before, such as a header whose counts are known only at the end.
  // Requires position + bytes.size() <= size().
  void overwrite(uint64_t position, std::span<const std::byte> bytes);
  uint64_t size() const { return size_; }
  void close();

 private:
  void flush();
  void write_through(std::span<const std::byte> bytes);

  std::filesystem::path path_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
  std::string buffer_;
};

// A folder that appears whole under its name or not at all. Write into path(), then commit().
class FolderWriter {
 public:
  // Creates `<target>.partial-<process id>`, and removes what crashed processes left under such
  // names.
  explicit FolderWriter(std::filesystem::path target);
  ~FolderWriter();
  FolderWriter(const FolderWriter&) = delete;
  FolderWriter& operator=(const FolderWriter&) = delete;

  const std::filesystem::path& path() const { return partial_; }
  // Renames to the target; an existing target is replaced and removed.
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path partial_;
  bool committed_ = false;
};

// Throws FileError if the folder does not exist and cannot be created, or is not writable.
void require_writable_folder(const std::filesystem::path& folder);

}  // namespace skein
