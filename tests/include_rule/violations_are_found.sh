#!/bin/sh
# Seeds violations of the include rule, one a file, and expects a sentence about each and about nothing else.
# usage: violations_are_found.sh "LAYER..."
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree"
mkdir -p skein/base skein/tensor skein/kernels skein/text skein/comm apps/skein aggbox/aggbox

printf '#include <vector>\n#include "skein/base/error.h"\n' > skein/tensor/good.h
printf '#include <dnnl.hpp>\n#include <sys/stat.h>\n' > skein/kernels/good.cc
printf '#include "aggbox/aggbox/group.h"\n' > skein/comm/good.cc
printf '#include "aggbox/aggbox/group.h"\n' > skein/base/past_comm.cc
printf '#include "skein/base/error.h"\n' > aggbox/aggbox/knows_skein.cc
printf '#include "skein/text/later.h"\n' > skein/tensor/later_layer.cc
printf '  #  include "skein/tensor/later.h"\n' > skein/base/later_layer.h
printf '#include <dnnl.hpp>\n' > skein/text/other_door.cc
printf '#include <dnnl.hpp>\n' > skein/kernels/leaking_header.h
printf '#include <boost/any.hpp>\n' > skein/base/no_door.cc
printf '#include "skein/attic/x.h"\n' > skein/base/no_layer.cc
printf '#include "apps/skein/commands.h"\n' > skein/base/outside.cc
printf '#include <zstd.h>\n' > apps/skein/other_door.cc

expected='aggbox/aggbox/knows_skein.cc
apps/skein/other_door.cc
skein/base/later_layer.h
skein/base/no_door.cc
skein/base/no_layer.cc
skein/base/outside.cc
skein/base/past_comm.cc
skein/kernels/leaking_header.h
skein/tensor/later_layer.cc
skein/text/other_door.cc'
if sh "$here/tree_follows_rule.sh" . "$1" > report; then
  echo "the seeded violations were not refused" >&2
  exit 1
fi
cat report
found=$(cut -d: -f1 report)
[ "$found" = "$expected" ] || { echo "expected a violation in each of: $expected" >&2; exit 1; }
