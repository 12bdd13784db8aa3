// A prepared corpus: the token ids of every sample in one mapped file, whose pages all processes of
// a machine share. Sentences are stored without bos and eos.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "skein/base/files.h"

namespace skein {

class DataSet {
 public:
  // Checks header and offsets in full; verify() checks the tokens. Throws FileError, or FormatError
  // for a file that is cut short, altered, of another version or from a machine of another byte
  // order.
  explicit DataSet(const std::filesystem::path& path);

  int64_t size() const { return samples_; }
  bool monolingual() const { return sides_ == 1; }
  // 0 for monolingual data.
  int64_t source_tokens() const { return source_tokens_; }
  int64_t target_tokens() const { return target_tokens_; }
  int64_t source_vocabulary_size() const { return source_vocabulary_; }
  int64_t target_vocabulary_size() const { return target_vocabulary_; }
  const std::string& name() const { return name_; }
  // Of its header, which holds those of its content.
  uint32_t checksum() const { return checksum_; }

  // In tokens, 0 <= sample < size(). Monolingual: a source is empty.
  int64_t source_length(int64_t sample) const;
  int64_t target_length(int64_t sample) const;
  // Throws FormatError for an id outside the vocabulary, which only an altered file has.
  void append_source(int64_t sample, std::vector<int32_t>& tokens) const;
  void append_target(int64_t sample, std::vector<int32_t>& tokens) const;
  // Its tokens [begin, end).
  void append_target(int64_t sample, int64_t begin, int64_t end,
                     std::vector<int32_t>& tokens) const;

  // Reads the whole file. Throws FormatError if the tokens are not those that were written.
  void verify() const;

 private:
  void check_offsets() const;
  void append(uint64_t begin, uint64_t end, int64_t vocabulary, std::vector<int32_t>& tokens) const;

  std::string name_;
  MappedFile file_;
  std::span<const std::byte> tokens_;
  std::span<const uint64_t> offsets_;
  int64_t samples_ = 0;
  int64_t source_tokens_ = 0;
  int64_t target_tokens_ = 0;
  int64_t source_vocabulary_ = 0;
  int64_t target_vocabulary_ = 0;
  uint32_t sides_ = 0;
  uint32_t token_bytes_ = 0;
  uint32_t tokens_checksum_ = 0;
  uint32_t checksum_ = 0;
};

}  // namespace skein
