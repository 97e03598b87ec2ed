#!/bin/sh
# CI: has the agent `reviewer` review what differs from BASE. Exit 0: nothing found, 1: findings, 2: no review.
set -eu
base=${1:-origin/main}

# A file and no pipe: the status of git would be lost in one.
diff=$(mktemp)
trap 'rm -f "$diff"' EXIT
git diff "$base" -- >"$diff" || exit 2
[ -s "$diff" ] || exit 0

# A thread of its own, so that jobs run side by side. Nobody is there to ask: a question ends the turn with 11.
status=0
result=$(chorus-run "${REVIEWER:-reviewer}" -C "$PWD" --new-thread --on-ask fail --timeout 10m -q --json -p \
    'Review this diff. A line for each finding, FILE:LINE: what is wrong. Without any, the answer is OK.' <"$diff") ||
    status=$?

case $status in
    0) ;;
    11)
        printf '%s\n' "$result" | jq -r '.denied[] | "ci-review: the reviewer may not: \(.action)"' >&2
        exit 2
        ;;
    *)
        echo "ci-review: chorus-run ended with exit status $status" >&2
        exit 2
        ;;
esac

# printf, because the echo of dash takes the backslashes in JSON for its own.
answer=$(printf '%s\n' "$result" | jq -er .text) || exit 2
[ "$answer" != OK ] || exit 0
printf '%s\n' "$answer"
exit 1
