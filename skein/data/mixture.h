// How often the data sets of a training are seen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace skein {

// Of data sets of these sizes, how often an epoch sees each sample. `weights`: one a data set, or
// none for 1 each. `temperature` T brings sizes nearer to each other: a set of n samples, the
// largest having N, is drawn with probability in proportion to n^(1/T) (Arivazhagan et al. 2019,
// "Massively multilingual neural machine translation in the wild"), so (n / N)^(1/T - 1) times; 1
// leaves all as they are. Throws UsageError for another number of weights than of sets, and for
// any that is not above 0.
std::vector<double> mixture_rates(std::span<const int64_t> sizes, std::span<const double> weights,
                                  double temperature);

// Which of `size` samples an epoch, from 0, sees at this rate; ascending, some perhaps several
// times. Epoch after epoch goes on where the last one ended in an endless row of shuffled passes,
// so that all samples are seen equally often.
std::vector<uint32_t> samples_of_epoch(int64_t size, double rate, uint64_t seed, int64_t epoch);

}  // namespace skein
