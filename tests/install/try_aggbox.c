// Uses the installed libaggbox: a group of one rank is refused with a sentence.
#include <aggbox/aggbox/aggbox.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  const struct aggbox_group_options options = {
      .interface = "lo", .coordinator = "127.0.0.1:7000", .rank = 0, .size = 1};
  struct aggbox_group* group = NULL;
  if (aggbox_group_create(&options, &group) == AGGBOX_ERROR_ARGUMENT &&
      strstr(aggbox_last_error(), "a group of 1 ranks is not possible"))
    return 0;
  fprintf(stderr, "a group of one rank: %s\n", aggbox_last_error());
  return 1;
}
