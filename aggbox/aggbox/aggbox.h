/* The plain C door to group.h, which says what the calls cost. N is the number of ranks.

   Functions return AGGBOX_OK or why not; aggbox_last_error() then has the sentence. A group is used
   by one thread at a time. */
#ifndef AGGBOX_AGGBOX_H
#define AGGBOX_AGGBOX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum aggbox_status {
  AGGBOX_OK = 0,
  AGGBOX_ERROR_ARGUMENT,    /* the caller's mistake */
  AGGBOX_ERROR_UNAVAILABLE, /* what this host does not have or allow: rights, kernel, interface */
  AGGBOX_ERROR_PEER /* a rank has left or does not answer: the group is of no use any more */
};

enum aggbox_values {
  AGGBOX_INT32,
  AGGBOX_INT64,
  AGGBOX_UINT32,
  AGGBOX_UINT64,
  AGGBOX_FLOAT32,
  AGGBOX_BFLOAT16 /* the upper half of a float32 */
};

enum aggbox_reduction {
  AGGBOX_REDUCE_SUM,
  AGGBOX_REDUCE_MEAN, /* of floats only, as the next three of integers only */
  AGGBOX_REDUCE_AND,
  AGGBOX_REDUCE_OR,
  AGGBOX_REDUCE_XOR,
  AGGBOX_REDUCE_MIN,
  AGGBOX_REDUCE_MAX
};

/* Zeros where nothing else is said: the defaults of GroupOptions in group.h. */
struct aggbox_group_options {
  const char* interface;   /* the one that is up for AggBox: `aggbox up --interface e0` */
  const char* coordinator; /* where rank 0 listens, "ADDRESS:PORT" */
  uint32_t rank;
  uint32_t size;                      /* N, 2 to 64 */
  uint32_t window;                    /* chunks of an owner in flight; a power of two, 2 to 256 */
  int header_tags;                    /* not 0: tags cover headers only, not payloads */
  uint32_t timeout_milliseconds;      /* without any progress, before a call fails */
  uint32_t join_timeout_milliseconds; /* for all ranks to join */
};

struct aggbox_group;

/* Returns when all ranks have joined. *group: to be freed with aggbox_group_free(); NULL where this
   failed. */
enum aggbox_status aggbox_group_create(const struct aggbox_group_options* options,
                                       struct aggbox_group** group);

/* Waits for the other ranks to be done as well. NULL is allowed. */
void aggbox_group_free(struct aggbox_group* group);

/* values: `count` of this rank's, and afterwards the result over all ranks, bitwise the same on
   each. Integers wrap; floats have the error bound that group.h states. */
enum aggbox_status aggbox_group_all_reduce(struct aggbox_group* group, void* values, size_t count,
                                           enum aggbox_values type,
                                           enum aggbox_reduction reduction);

/* The same; only the root's values are of use afterwards. */
enum aggbox_status aggbox_group_reduce(struct aggbox_group* group, void* values, size_t count,
                                       enum aggbox_values type, enum aggbox_reduction reduction,
                                       uint32_t root);

/* bytes: the root's, and afterwards everybody's. */
enum aggbox_status aggbox_group_broadcast(struct aggbox_group* group, void* bytes, size_t size,
                                          uint32_t root);

/* Returns when all ranks have called it. */
enum aggbox_status aggbox_group_barrier(struct aggbox_group* group);

/* The sentence about this thread's last call that failed; empty if none has. Stays until its next
   one fails. */
const char* aggbox_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
