#include "skein/train/event_writer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <string>

#include "skein/base/files.h"

namespace skein {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

std::filesystem::path new_file(const std::filesystem::path& folder, double wall_time) {
  require_writable_folder(folder);
  return folder /
         fmt::format("events.out.tfevents.{:010.0f}.{}.{}", wall_time, host_name(), ::getpid());
}

}  // namespace

EventWriter::EventWriter(const std::filesystem::path& folder, double wall_time)
    : file_(new_file(folder, wall_time)) {
  file_.append(frame_record(encode_version_event(wall_time)));
}

void EventWriter::add_scalar(const ScalarEvent& event) {
  file_.append(frame_record(encode_scalar_event(event)));
}

}  // namespace skein
