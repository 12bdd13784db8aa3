// What prepared data, vocabularies and model must agree on before the first update.
#pragma once

#include <filesystem>
#include <string_view>

#include "skein/data/data_folder.h"
#include "skein/data/data_set.h"
#include "skein/data/samples.h"
#include "skein/models/model.h"
#include "skein/models/registry.h"

namespace skein {

// What `folder` says of itself, as read_data_folder() does. Throws FileError, too, if it lacks a
// file that training needs.
DataFolderInfo read_complete_data(const std::filesystem::path& folder);

// Throws FormatError if the data was prepared with vocabularies of other sizes: its ids mean other
// pieces, or none.
void require_vocabulary(const DataSet& data, const VocabularySizes& vocabulary);

// Throws UsageError if a sentence or block has no place in the model's positions. `remedy`: how to
// prepare the data otherwise.
void require_lengths(const DataSet& data, const BlockOptions& blocks, const Model& model,
                     std::string_view remedy);

}  // namespace skein
