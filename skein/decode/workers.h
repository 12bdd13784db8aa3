// A queue of independent pieces of work for as many workers as there are threads.
#pragma once

#include <cstddef>
#include <functional>

namespace skein {

// Calls make_worker() once in every worker, and what it returned with 0 .. count - 1, each number
// once, in whichever worker is free. A worker computes with one thread, which is faster than all
// threads on one small piece after another; where there are fewer pieces than threads, with its
// share of them. An exception of a worker ends the others after their current piece and is thrown
// here.
void run_workers(size_t count, const std::function<std::function<void(size_t)>()>& make_worker);

}  // namespace skein
