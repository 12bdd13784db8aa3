// Writes curves that TensorBoard shows while training runs: `tensorboard --logdir FOLDER`.
#pragma once

#include <cstdint>
#include <filesystem>

#include "skein/base/file_appender.h"
#include "skein/train/event_encoding.h"

namespace skein {

class EventWriter {
 public:
  // Begins the file `folder`/events.out.tfevents.SECONDS.HOST.PROCESS, and creates the folder where
  // it is missing; TensorBoard joins all files of a folder, so a resumed training adds one.
  // `wall_time`: seconds since 1970. Throws FileError.
  EventWriter(const std::filesystem::path& folder, double wall_time);

  // Appends one value; it is in the file when this returns. Throws FileError, naming the path and
  // the reason, when the disk is full.
  void add_scalar(const ScalarEvent& event);

  const std::filesystem::path& path() const { return file_.path(); }

 private:
  FileAppender file_;
};

}  // namespace skein
