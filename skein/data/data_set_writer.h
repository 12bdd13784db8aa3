// Writes a DataSet file sample by sample, in memory that does not grow with the corpus.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "skein/base/files.h"

namespace skein {

class DataSetWriter {
 public:
  struct VocabularySizes {
    int64_t source = 0;  // 0: monolingual
    int64_t target = 0;
  };

  DataSetWriter(std::filesystem::path path, VocabularySizes vocabulary);
  ~DataSetWriter();
  DataSetWriter(const DataSetWriter&) = delete;
  DataSetWriter& operator=(const DataSetWriter&) = delete;

  // Ids must be in [0, vocabulary). Monolingual: `source` is empty. Throws FileError when the disk
  // is full.
  void add(std::span<const int32_t> source, std::span<const int32_t> target);
  // Completes the file; without it nothing is left behind.
  void close();

 private:
  void write_sentence(std::span<const int32_t> tokens);
  void write_offsets();

  std::filesystem::path path_;
  VocabularySizes vocabulary_;
  FileWriter file_;
  FileWriter
      lengths_;  // u32 a sentence: the offsets come behind the tokens and may not fit in memory
  std::vector<uint16_t> narrow_;
  uint64_t samples_ = 0;
  uint64_t source_tokens_ = 0;
  uint64_t target_tokens_ = 0;
  uint32_t tokens_checksum_ = 0;
  uint32_t offsets_checksum_ = 0;
};

}  // namespace skein
