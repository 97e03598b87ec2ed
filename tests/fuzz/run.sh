#!/usr/bin/env bash
# One fuzzer for a while: first what is committed, then from there on.
#
#   run.sh FUZZER CORPUS SECONDS [--seed N]
#
# What it finds is kept beside the fuzzer in found/, and is run again by `FUZZER FILE`. CHORUS_FUZZ_SECONDS, where set,
# is the time instead.
set -eu
program=$1 corpus=$2 seconds=${CHORUS_FUZZ_SECONDS:-$3} seed=$(date +%s)
[ "${4:-}" != --seed ] || seed=$5
name=${corpus##*/}
[ -n "$(ls -A "$corpus")" ] || { echo "fuzz/$name: $corpus is empty"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
found=${program%/*}/found/$name-
mkdir -p "${found%/*}" "$work/corpus"
options=(-max_len=4096 -timeout=20 -rss_limit_mb=2048 -artifact_prefix="$found")
[ ! -f "$corpus.dict" ] || options+=(-dict="$corpus.dict")

echo "fuzz/$name: $(find "$corpus" -type f | wc -l) inputs, then ${seconds} s with --seed $seed"
status=0
"$program" "${options[@]}" -runs=0 "$corpus" >"$work/log" 2>&1 &&
    "$program" "${options[@]}" -seed="$seed" -max_total_time="$seconds" -print_final_stats=1 \
        "$work/corpus" "$corpus" >"$work/log" 2>&1 || status=$?
if [ "$status" = 0 ]; then
    grep -E '^(Done|stat::number_of_executed_units|stat::peak_rss_mb)|DONE' "$work/log"
    exit 0
fi
tail -n 100 "$work/log"
echo "again: $program $(grep -o "$found[^ ]*" "$work/log" | tail -n 1)"
echo "   or: $0 $program $corpus $seconds --seed $seed"
exit 1
