// A queue of independent pieces of work, each done by one thread.
#pragma once

#include <cstddef>
#include <functional>

namespace skein {

// Calls make_worker() once in every thread, and what it returned with 0 .. count - 1, each number
// once, in whichever thread is free. Several threads compute with one thread each, which is faster
// than all threads on one small piece after another; a single piece gets all threads. An exception
// of a worker ends the others after their current piece and is thrown here.
void run_workers(size_t count, const std::function<std::function<void(size_t)>()>& make_worker);

}  // namespace skein
