// What prepared data, vocabularies and model must agree on before the first update.
#pragma once

#include <string_view>

#include "skein/data/data_set.h"
#include "skein/models/model.h"
#include "skein/models/registry.h"

namespace skein {

// Throws FormatError if the data was prepared with vocabularies of other sizes: its ids mean other
// pieces, or none.
void require_vocabulary(const DataSet& data, const VocabularySizes& vocabulary);

// Throws UsageError if a sentence has no place in the model's positions. `remedy`: how to prepare
// the data otherwise.
void require_lengths(const DataSet& data, const Model& model, std::string_view remedy);

}  // namespace skein
