// The readers behind open_corpus(), one a format. Each takes the bytes of the file and its name for
// errors.
#pragma once

#include <memory>
#include <string>

#include "skein/data/byte_stream.h"
#include "skein/data/corpus.h"
#include "skein/data/line_reader.h"
#include "skein/data/pair_reader.h"

namespace skein {

// Line i of one file translates line i of the other. Throws FormatError at the end if one has more
// lines.
std::unique_ptr<PairReader> read_aligned_lines(LineReader source, LineReader target);

// Every line a sample.
std::unique_ptr<PairReader> read_lines(LineReader lines);

// Columns apart by one tab, nothing quoted, no heading; further columns are passed over.
std::unique_ptr<PairReader> read_tsv(LineReader lines, const CorpusOptions& options);

// jsonlines.org: an object a line. Monolingual: every line of the text a sample.
std::unique_ptr<PairReader> read_json_lines(LineReader lines, const CorpusOptions& options);

// GNU gettext's translations: msgid is the source, msgstr the target. Text comes out as UTF-8 from
// any charset that the header names. Left out and counted: untranslated, fuzzy, obsolete. A plural
// entry gives msgid with the first form and msgid_plural with the last.
std::unique_ptr<PairReader> read_po(LineReader lines, const CorpusOptions& options);
std::unique_ptr<PairReader> read_mo(std::unique_ptr<ByteStream> stream, std::string name,
                                    const CorpusOptions& options);

// Translation Memory eXchange 1.4b: a unit gives a pair if it has both languages. A language is
// found by its exact tag, else by a longer one (en finds en-US), in upper or lower case. Markup in
// a segment (bpt, ept, it, ph, ut, with sub) is left out, what hi encloses stays.
std::unique_ptr<PairReader> read_tmx(std::unique_ptr<ByteStream> stream, std::string name,
                                     const CorpusOptions& options);

}  // namespace skein
