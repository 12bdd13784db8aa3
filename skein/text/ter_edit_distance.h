// The edit distance inside TER: Levenshtein's, over words, within a beam around the diagonal, with
// the tie-breaking of tercom; and fast distances of hypotheses that differ by one shift.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace skein {

// How the words of a hypothesis and a reference are paired on the cheapest path.
struct TerAlignment {
  // For each reference word: the hypothesis word it is paired with or, when it is missing there,
  // the one before the gap (-1: none). [reference]
  std::vector<int> hypothesis_position;
  std::vector<char> reference_error;   // 1: missing or substituted. [reference]
  std::vector<char> hypothesis_error;  // 1: surplus or substituted. [hypothesis]
};

class TerEditDistance {
 public:
  // For hypotheses of one length; the beam depends on it. `reference` is not empty and must outlive
  // this object.
  TerEditDistance(std::span<const uint32_t> reference, size_t hypothesis_length);

  // Makes `hypothesis` the base that `shifted` compares with, and returns its distance.
  int set_base(std::span<const uint32_t> hypothesis);
  TerAlignment alignment() const;

  // The distance of a hypothesis that equals the base outside of words [begin, end). Computes only
  // the matrix rows from `begin` on, and stops where one past `end` is the base's own: then all
  // later ones are too.
  int shifted(std::span<const uint32_t> hypothesis, size_t begin, size_t end);

 private:
  // The reference positions [begin, end) of one matrix row that are within the beam.
  struct Band {
    int begin = 0;
    int end = 0;
    size_t offset = 0;  // of the row in costs_
  };

  void compute_row(size_t row, uint32_t word);
  bool equals_base(size_t row) const;
  void load_base(size_t row);
  int base_cost(int row, int column) const;

  std::span<const uint32_t> reference_;
  std::vector<Band> bands_;     // [hypothesis + 1]
  std::vector<uint32_t> base_;  // [hypothesis]
  std::vector<int> costs_;      // the base's rows, band after band
  std::vector<int> previous_;   // the row before the current one, [reference + 1]
  std::vector<int> current_;    // [reference + 1]
};

}  // namespace skein
