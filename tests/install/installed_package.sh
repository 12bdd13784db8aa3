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
"$place/tests/install/try_plugin" "$place/examples/plugin_model/libattentive_bigram.so"
"$place/prefix/bin/skein" --version
