// The two decompressing streams behind open_stream().
#pragma once

#include <memory>
#include <string>

#include "skein/data/byte_stream.h"

namespace skein::internal {

// RFC 1952: one or more members; zero bytes behind the last are padding.
std::unique_ptr<ByteStream> gzip_stream(std::unique_ptr<ByteStream> compressed, std::string name);

// RFC 8878: one or more frames, skippable ones among them. The window is at most 128 MiB.
std::unique_ptr<ByteStream> zstd_stream(std::unique_ptr<ByteStream> compressed, std::string name);

}  // namespace skein::internal
