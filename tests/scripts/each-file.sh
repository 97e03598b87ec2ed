#!/bin/sh
# git ls-files '*.c' | each-file.sh AGENT OUT PROMPT: one turn a file, eight at a time, each answer in OUT/FILE.txt.
set -eu
AGENT=$1 OUT=$2 PROMPT=$3
export AGENT OUT PROMPT
mkdir -p "$OUT"
rm -f "$OUT/failed"

# The threads of an agent work at the same time. -o writes a file whole or not at all, and beside stdout.
# xargs goes on with the other files as long as no command ends with 255.
tr '\n' '\0' | xargs -0 -n 1 -P 8 -r sh -c '
    mkdir -p "$OUT/$(dirname -- "$1")"
    status=0
    chorus-run "$AGENT" --new-thread --on-ask deny --timeout 10m -q -o "$OUT/$1.txt" -p "$PROMPT" \
        <"$1" >/dev/null || status=$?
    case $status in
        0) ;;
        *)
            rm -f "$OUT/$1.txt"
            printf "%s\t%s\n" "$status" "$1" >>"$OUT/failed"
            ;;
    esac
' each-file

if [ -s "$OUT/failed" ]; then
    echo "each-file: without an answer, by exit status:" >&2
    sort "$OUT/failed" >&2
    exit 1
fi
