#include "net/c_program.h"

#include <string.h>

static const char* check_sums(struct aggbox_group* group, uint32_t rank, uint32_t size) {
  int32_t narrow[3] = {INT32_MAX, -1, 0};
  int64_t wide[2] = {INT64_C(1) << 40, 0};
  float floats[2] = {1.5F, -2};
  narrow[2] = (int32_t)rank;
  wide[1] = -(int64_t)rank;
  if (aggbox_group_all_reduce(group, narrow, 3, AGGBOX_INT32, AGGBOX_REDUCE_SUM) ||
      aggbox_group_all_reduce(group, wide, 2, AGGBOX_INT64, AGGBOX_REDUCE_SUM) ||
      aggbox_group_all_reduce(group, floats, 1, AGGBOX_FLOAT32, AGGBOX_REDUCE_SUM) ||
      aggbox_group_all_reduce(group, floats + 1, 1, AGGBOX_FLOAT32, AGGBOX_REDUCE_MEAN)) {
    return aggbox_last_error();
  }
  const uint32_t ranks = size * (size - 1) / 2;
  if ((uint32_t)narrow[0] != size * (uint32_t)INT32_MAX || narrow[1] != -(int32_t)size ||
      narrow[2] != (int32_t)ranks)
    return "wrong sum of AGGBOX_INT32";
  if (wide[0] != (int64_t)size << 40 || wide[1] != -(int64_t)ranks)
    return "wrong sum of AGGBOX_INT64";
  uint64_t bits[2] = {0, 0};
  bits[0] = UINT64_C(1) << rank;
  bits[1] = UINT64_MAX - rank;
  if (aggbox_group_all_reduce(group, bits, 1, AGGBOX_UINT64, AGGBOX_REDUCE_OR) ||
      aggbox_group_reduce(group, bits + 1, 1, AGGBOX_UINT64, AGGBOX_REDUCE_MAX, 1))
    return aggbox_last_error();
  if (bits[0] != (UINT64_C(1) << size) - 1) return "wrong bits";
  if (rank == 1 && bits[1] != UINT64_MAX) return "wrong maximum";
  if (floats[0] != 1.5F * (float)size) return "wrong sum of AGGBOX_FLOAT32";
  if (floats[1] != -2) return "wrong mean";
  return "";
}

static const char* check_broadcast(struct aggbox_group* group, uint32_t rank) {
  char text[32] = "";
  if (rank == 1) strcpy(text, "from rank 1");
  if (aggbox_group_broadcast(group, text, sizeof text, 1) || aggbox_group_barrier(group))
    return aggbox_last_error();
  return strcmp(text, "from rank 1") == 0 ? "" : "wrong broadcast";
}

static const char* check_mistakes(struct aggbox_group* group, uint32_t size) {
  int32_t value = 1;
  if (aggbox_group_broadcast(group, &value, sizeof value, size) != AGGBOX_ERROR_ARGUMENT ||
      strstr(aggbox_last_error(), "is not one of") == NULL)
    return "a root that does not exist was not refused";
  if (aggbox_group_all_reduce(group, &value, 1, AGGBOX_INT32, AGGBOX_REDUCE_MEAN) !=
          AGGBOX_ERROR_ARGUMENT ||
      strstr(aggbox_last_error(), "no mean") == NULL)
    return "a mean of integers was not refused";
  return "";
}

const char* use_every_call(const struct aggbox_group_options* options) {
  struct aggbox_group* group;
  if (aggbox_group_create(options, &group)) return aggbox_last_error();
  const char* wrong = check_sums(group, options->rank, options->size);
  if (!*wrong) wrong = check_broadcast(group, options->rank);
  if (!*wrong) wrong = check_mistakes(group, options->size);
  aggbox_group_free(group);
  return wrong;
}
