/* What a user of the C API writes, in C. */
#ifndef TESTS_NET_C_PROGRAM_H
#define TESTS_NET_C_PROGRAM_H

#include "aggbox/aggbox/aggbox.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Every call once. Returns the sentence about what went wrong, or an empty one. */
const char* use_every_call(const struct aggbox_group_options* options);

#ifdef __cplusplus
}
#endif

#endif
