#!/bin/sh
# Installs the build, builds a program and the example plug-in against what is installed and nothing else, and runs them.
# usage: installed_package.sh SOURCE_FOLDER BUILD_FOLDER CXX_COMPILER
set -eu
source=$1 build=$2 compiler=$3
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

cmake --install "$build" --prefix "$place/prefix" >"$place/log" || { cat "$place/log"; exit 1; }
for project in examples/plugin_model tests/install; do
  {
    cmake -S "$source/$project" -B "$place/$project" -G Ninja -DCMAKE_PREFIX_PATH="$place/prefix" \
      -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release &&
      cmake --build "$place/$project"
  } >"$place/log" 2>&1 || { cat "$place/log"; exit 1; }
done
plugin=$place/examples/plugin_model/libattentive_bigram.so
"$place/tests/install/try_plugin" "$plugin"

# The installed command trains the plug-in's model.
cd "$place"
for language in en de; do
  for i in 1 2 3 4 5 6 7 8; do echo "$language word $i"; done >text.$language
done
{
  prefix/bin/skein vocab --input text.en text.de --type word --size 100 --output vocab &&
    prefix/bin/skein prepare --source en --target de --train text --valid text --vocab vocab --output data &&
    prefix/bin/skein train --plugin "$plugin" --model attentive_bigram --model.width 16 --data data --output model \
      --train.max_updates 2
} >log 2>&1 || { cat log; exit 1; }
[ -e model/last ] || { echo "no checkpoint was written"; cat log; exit 1; }
