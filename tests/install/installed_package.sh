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

fail() { echo "$1"; cat log; exit 1; }

# AggBox: the command, its library in C, and the libraries to preload.
if [ -e "$place/prefix/bin/aggbox" ]; then
  "$place/prefix/bin/aggbox" --help >"$place/log" || { cat "$place/log"; exit 1; }
  "$place/tests/install/try_aggbox"
  if [ -e "$build/aggbox/libaggbox_mpi.so" ] && [ -z "$(find "$place/prefix" -name libaggbox_mpi.so)" ]; then
    echo "libaggbox_mpi.so is not installed"
    exit 1
  fi
fi

# The installed command trains the plug-in's model and translates with it.
cd "$place"
for language in en de; do
  for i in 1 2 3 4 5 6 7 8; do echo "$language word $i"; done >text.$language
done
{
  prefix/bin/skein vocab --input text.en text.de --type word --size 100 --output vocab &&
    prefix/bin/skein prepare --source en --target de --train text --valid text --vocab vocab --output data &&
    prefix/bin/skein train --plugin "$plugin" --model attentive_bigram --model.width 16 --data data --output model \
      --train.max_updates 2 &&
    prefix/bin/skein average --plugin "$plugin" --model model --last 1 --output averaged &&
    prefix/bin/skein translate --plugin "$plugin" --model averaged --input text.en --output text.out
} >log 2>&1 || fail "the plug-in's model does not train, average or translate"
[ "$(wc -l <text.out)" = 8 ] || fail "not every line has a translation"
if prefix/bin/skein translate --model averaged --input text.en >log 2>&1; then fail "a model was made without its plug-in"; fi
grep -q "no model 'attentive_bigram'" log || fail "the model that is missing is not named"

# A tokeniser, criterion, optimiser and schedule of a plug-in.
parts=$place/tests/install/libother_parts.so
sed 's/ /-/g' text.en >parts.en
sed 's/ /-/g' text.de >parts.de
{
  prefix/bin/skein vocab --plugin "$parts" --input parts.en parts.de --type hyphens --output parts.vocab &&
    prefix/bin/skein prepare --plugin "$parts" --source en --target de --train parts --valid parts --vocab parts.vocab --output parts.data &&
    prefix/bin/skein train --plugin "$parts" --model transformer_tiny --data parts.data --output parts.model --train.max_updates 3 \
      --train.log_every 1 --criterion.name doubled --optimizer.name sign_descent --optimizer.lr 0.0625 --schedule.name halving &&
    prefix/bin/skein train --plugin "$parts" --help
} >log 2>&1 || fail "a part of a plug-in does not work"
grep -q "sign_descent" log || fail "the help does not list the plug-in's optimiser"
for rate in 0.0625 0.03125 0.015625; do
  grep -q "\"lr\":${rate}[,}]" parts.model/log.jsonl || { cp parts.model/log.jsonl log; fail "no update has the rate $rate"; }
done
prefix/bin/skein inspect --plugin "$parts" parts.vocab >log 2>&1 || fail "the vocabulary cannot be inspected"
grep -q "vocabulary of 15 pieces, type hyphens" log || fail "the vocabulary is not the plug-in's"
