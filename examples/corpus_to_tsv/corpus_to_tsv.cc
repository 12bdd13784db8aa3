// Prints the sentence pairs of any corpus that `skein prepare` reads (TMX, gettext, JSON lines,
// ...), one a line, source TAB target: the smallest program that uses the library's readers.
//
//   corpus_to_tsv en de messages.mo memory.tmx > pairs.tsv
#include <exception>
#include <iostream>

#include "skein/data/corpus.h"

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: corpus_to_tsv SOURCE_LANGUAGE TARGET_LANGUAGE CORPUS...\n";
    return 2;
  }
  try {
    for (int i = 3; i < argc; ++i) {
      const auto corpus =
          skein::open_corpus(argv[i], {.source_language = argv[1], .target_language = argv[2]});
      skein::Pair pair;
      while (corpus->next(pair)) std::cout << pair.source << '\t' << pair.target << '\n';
    }
    std::cout.flush();
  } catch (const std::exception& error) {
    std::cerr << "corpus_to_tsv: " << error.what() << '\n';
    return 1;
  }
  if (!std::cout) {
    std::cerr << "corpus_to_tsv: cannot write to standard output\n";
    return 1;
  }
  return 0;
}
