// What measurements share: a clock, medians, memory.
#pragma once

#include <cstdint>
#include <vector>

namespace skein {

// Of an even number of values the upper one of the middle two. Throws Error if there is none.
double median(std::vector<double> values);

using Clock = double (*)();  // seconds since an unspecified moment

// Processor time of the calling thread.
double thread_seconds();
// The clock for a piece of work: thread_seconds() where one thread computes, in which what other
// programs take away does not count; seconds_now(), the wall's clock, where several do.
Clock work_clock();

// Most memory that this process has had, bytes.
int64_t peak_resident_bytes();

}  // namespace skein
