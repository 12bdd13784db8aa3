// The function that a program's call would have reached without this library: MPI's, or that of
// another tool which is loaded as well.
#pragma once

#include <dlfcn.h>

#define AGGBOX_NEXT(name)                                                                  \
  ([] {                                                                                    \
    static const auto next = reinterpret_cast<decltype(&name)>(::dlsym(RTLD_NEXT, #name)); \
    return next;                                                                           \
  }())
