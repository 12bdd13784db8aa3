// The `skein` command: one file a subcommand, no logic of its own.
#include <cstdio>

int main() {
  std::puts("skein " SKEIN_VERSION);
  return 0;
}
