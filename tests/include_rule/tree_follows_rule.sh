#!/bin/sh
# usage: tree_follows_rule.sh SOURCE_FOLDER "LAYER..."
set -eu
export LC_ALL=C
rule=$(cd "$(dirname "$0")" && pwd)/include_rule.awk
cd "$1"
files=$(find skein apps aggbox tests fuzz -name '*.h' -o -name '*.cc' 2>/dev/null | sort)
[ -n "$files" ] || { echo "no source files in $1" >&2; exit 1; }
# shellcheck disable=SC2086  # no file of ours has a space in its name
exec awk -v layers="$2" -f "$rule" $files
