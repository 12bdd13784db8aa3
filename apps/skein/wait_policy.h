// How threads wait for each other.
#pragma once

namespace skein::command {

// Starts the program again with OMP_WAIT_POLICY=passive, unless the environment already says how
// OpenMP's threads wait; returns otherwise, and also where it cannot start again. OpenMP reads its
// environment when its library is loaded, so that nothing later changes it. By default its threads
// spin at every barrier: with one other busy program on the machine training then takes about twice
// as long as with sleeping threads, which cost a tenth with the smallest model on an idle machine
// (docs/benchmarks.md, "Beside another program").
void wait_asleep(char** argv);

}  // namespace skein::command
