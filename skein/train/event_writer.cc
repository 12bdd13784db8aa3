#include "skein/train/event_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "skein/base/error.h"
#include "skein/base/files.h"

namespace skein {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw FileError(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
}

}  // namespace

EventWriter::EventWriter(const std::filesystem::path& folder, double wall_time) {
  require_writable_folder(folder);
  path_ = folder /
          fmt::format("events.out.tfevents.{:010.0f}.{}.{}", wall_time, host_name(), ::getpid());
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(path_);
  append(frame_record(encode_version_event(wall_time)));
}

EventWriter::~EventWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void EventWriter::add_scalar(const ScalarEvent& event) {
  append(frame_record(encode_scalar_event(event)));
}

void EventWriter::append(std::string_view record) {
  while (!record.empty()) {
    const ssize_t written = ::write(descriptor_, record.data(), record.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path_);
    record.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace skein
